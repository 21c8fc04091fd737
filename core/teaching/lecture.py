"""The lecture's own examples and formulas for drawing a token."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Numbers:
    """Probabilities that the lecture computes with by hand. Their tokens are called A, B, C and so on."""

    slug: str
    title: str
    probs: tuple[float, ...]
    note: str

    def name(self, token_id: int) -> str:
        """The letter of a token."""
        return chr(ord("A") + token_id)


NUMBERS = {
    numbers.slug: numbers
    for numbers in (
        Numbers(
            slug="lecture-flat",
            title="Lecture: 0.4, 0.3, 0.25, 0.03, 0.02",
            probs=(0.4, 0.3, 0.25, 0.03, 0.02),
            note="k = 2 keeps A and B, 57 % and 43 %. p = 0.9 keeps A, B and C, the nucleus: 0.95, where two "
            "reach only 0.7. The flatter, the more: of the peaked one it keeps two.",
        ),
        Numbers(
            slug="lecture-peaked",
            title="Lecture: 0.6, 0.3, 0.05, 0.03, 0.02",
            probs=(0.6, 0.3, 0.05, 0.03, 0.02),
            note="k = 2 and p = 0.9 both keep A and B: 67 % and 33 %. The flatter one kept three.",
        ),
    )
}

# LaTeX, in the notation of the lecture.
SAMPLER_FORMULAS = (
    (
        "Softmax with temperature",
        r"P_T(W_t=i\mid W_{1:t-1})=\frac{e^{z_i/T}}{\sum_j e^{z_j/T}},\qquad T>0",
        "z holds the logits: a Transformer gives each token one unnormalised score. All entries lie above 0 "
        "and sum to 1. T → 0 puts all mass on the largest logit, T = 1 is the plain softmax, the model's "
        "own distribution, T → ∞ is uniform. How peaked that one is was set by training (label smoothing "
        "and weight decay flatten it); T changes no weight. T = 0 would be a division by zero: an engine "
        "that accepts it leaves out softmax and draw and takes the argmax.",
    ),
    (
        "Truncation and renormalisation",
        r"P'(i)=\frac{\mathbb 1\big[i\in K\big]\,P(i)}{\sum_{j\in K}P(j)}",
        "A draw from the whole distribution now and then takes a token of the long tail, which can derail "
        "the text. top-k: K holds the k most probable tokens. top-p (nucleus sampling, Holtzman et al. "
        "2020): K, the nucleus, is the smallest set with mass ≥ p. min-p, a newer variant: K holds the "
        "tokens with P(i) ≥ min-p · max P, so the cutoff follows how sure the model is. In practice they "
        "are often combined, and with temperature, which comes first.",
    ),
    (
        "The draw",
        r"w_t=\min\Big\{i:\ \sum_{j\le i}P'(j)>u\Big\},\qquad u\sim\mathcal U[0,1)",
        "One draw from a categorical distribution: over finitely many outcomes, the tokens. The sum runs "
        "over them by falling probability; np.random.choice(len(p), p=p) has this law. Greedy takes the "
        "argmax, the most probable token: no u, deterministic, but repetitive: it can get stuck in a loop.",
    ),
    (
        "Entropy",
        r"H=-\sum_i P'(i)\log_2 P'(i)",
        "In bits. 2^H is the number of equally probable tokens that would be as uncertain.",
    ),
)

MASK_FORMULA = (
    (
        "The mask",
        r"P'(W_t=i\mid W_{1:t-1})=\frac{\mathbb 1\big[\,i\in A(s_t)\,\big]\;P(W_t=i\mid W_{1:t-1})}"
        r"{\sum_{j\in A(s_t)}P(W_t=j\mid W_{1:t-1})}",
        "A parser follows the text and keeps sₜ, the state of the grammar. A(sₜ) holds the tokens with "
        "which the text can still become one that fits, so a finished text is sure to parse: that is why "
        "native tool calls do. Every other token gets probability 0 and cannot be drawn, whatever the model "
        "and the prompt say. The indicator 1[…] is 1 where its condition holds, else 0.",
    ),
)

SPECULATIVE_FORMULAS = (
    (
        "The accept test",
        r"u<\min\!\left(1,\;\frac{p(x)}{q(x)}\right),\qquad u\sim\mathcal U[0,1)",
        "Modified rejection sampling (Leviathan et al. 2023, Chen et al. 2023): a small, cheap model drafts "
        "x from q; p is the distribution of the large one, the target, which checks all drafted tokens in "
        "one pass, faster than a pass for each. Both after temperature, which rescales, and top-k and top-p, "
        "which truncate.",
    ),
    (
        "The residual",
        r"p_{\text{res}}(x)=\frac{\max(0,\,p(x)-q(x))}{\sum_y\max(0,\,p(y)-q(y))}",
        "After the first rejection one token is drawn from it. Together they have the law p exactly: "
        "min(p, q) + (1 - Σ min(p, q)) · p_res = p.",
    ),
    (
        "Acceptance",
        r"\alpha=\sum_x\min(p(x),\,q(x))",
        "How probable it is that a drafted token is accepted: the mass that p and q share.",
    ),
    (
        "Tokens per pass, and the speed-up",
        r"E=\frac{1-\alpha^{\gamma+1}}{1-\alpha},\qquad S=\frac{E}{\gamma c+1}",
        "Leviathan et al. 2023, equation 1 and theorem 3.8. c: the time of a drafted token in passes of the "
        "target.",
    ),
)

REACT_FORMULAS = (
    (
        "Prompt-ToolLoop",
        r"\text{response}\gets\text{LLM}(context),\qquad\text{result}\gets\text{execute}(call)",
        "Its name says its two steps, lines 3 and 6 to 8. In: the user's message, the tools, a step cap, "
        "the context so far, at first c₀. Out: the final text. It is the loop that the runtime executes, "
        "the core of the agent executor; ReAct is the form of the turns in it, with a thought before the "
        "calls. Without thoughts it is Act. Assistants on the market run it too, as Claude Code: "
        "https://code.claude.com/docs/en/how-claude-code-works.",
    ),
    (
        "The context",
        r"c_k=(c_0,\;o_1,t_1,a_1,\;\dots,\;o_{k-1},t_{k-1},a_{k-1},\;o_k)",
        "c₀: system prompt and tools, the same in every call. The task is o₁. A step without a thought adds "
        "only action and observation: (c₀, o₁, a₁, …, oₖ).",
    ),
    (
        "The policy",
        r"t_k\sim\pi(t_k\mid c_k),\qquad a_k\sim\pi(a_k\mid c_k,\,t_k)",
        "At step k the agent receives oₖ ∈ O and takes aₖ ∈ A by its policy π, the distribution over "
        "actions given the context cₖ, the input of the model at step k. That is the model's over its reply.",
    ),
    (
        "The next context",
        r"c_{k+1}=(c_k,\;t_k,\;a_k,\;o_{k+1})",
        "A thought returns no observation: that it stands here is its only effect. So thinking is not a "
        "phase before acting, but an action that writes to the context; the message list, statelessness and "
        "the context budget follow from it. "
        "k counts observations: a thought does not advance it.",
    ),
    (
        "The action space of ReAct",
        r"\hat a_k\in\hat{\mathcal A}=\mathcal A\cup\mathcal L,\qquad "
        r"a_k\in\mathcal A,\quad t_k\in\mathcal L",
        "A: the external action space (tool calls, API searches, database queries). L: the language space "
        "(free-form reasoning). An element âₖ of Â, the augmented space, is one or the other (Yao et al. "
        "write â for the thought alone). A thought is thus an action too, one that produces no observation. "
        "Yao et al. (2023), §2.",
    ),
    (
        "As Yao et al. write it",
        r"c_{t+1}=(c_t,\;\hat a_t),\qquad \hat a_t\in\mathcal L",
        "For a single thought. Their â is the thought alone, here tₖ; their t is the step, which a thought "
        "advances. They leave c₀ out (here it stands, for it takes part of the context in every call), and "
        "do not write the whole context.",
    ),
)

LOOP_FORMULAS = (
    (
        "Open loop",
        r"(c_0,\,o_1)\to t_1\to t_2\to\dots\to\text{answer}",
        "A fixed plan, and nothing comes back: a washing machine runs its programme, whether or not the "
        "laundry gets clean. Chain of thought improves the reasoning, but is open: the whole chain is "
        "written before anything is done. It cannot act or get new data, all its facts are from memory (the "
        "training data), and an early error is carried to the end unnoticed: step 3 rests on what is false "
        "in step 2.",
    ),
    (
        "Closed loop",
        r"\dots\to t_k\to a_k\to o_{k+1}\to t_{k+1}\to\dots",
        "Each result is measured, fed back and decides on the next step: a thermostat corrects the "
        "temperature that it has caused. ReAct (Reasoning + Acting; Yao et al., 2023) extends chain of "
        "thought to it: a thought t reasons as there, an action a runs a tool, an observation o is its "
        "output; here oₖ₊₁ answers aₖ (in short: tₖ → aₖ → oₖ → tₖ₊₁). What a query, a file write or an "
        "e-mail returns, the model did not have: the next step depends on it. So a thought uses returned "
        "facts, which keeps it from drifting into invented ones (hallucination), and answers a call that "
        "failed.",
    ),
    (
        "Acting alone",
        r"\dots\to a_k\to o_{k+1}\to a_{k+1}\to\dots",
        "The same loop without thoughts: the baseline Act of Yao et al. (2023). With a thought before the "
        "tool calls of every response it is ReAct.",
    ),
    (
        "ReAct: both on one model",
        r"\text{LM}\xrightarrow{t}\text{LM},\qquad\text{LM}\xrightarrow{a}\text{Env}\xrightarrow{o}\text{LM}",
        "ReAct = reason + act: no third mechanism, but the loop of reasoning and that of acting. A thought "
        "returns to the model without passing through the environment, so nothing is observed.",
    ),
    (
        "Implicit and explicit plan",
        r"t_k\sim\pi(t_k\mid c_k)\qquad\text{or}\qquad\text{plan}\to a_1\to a_2\to\dots\to\text{plan anew}",
        "Chain of thought makes reasoning explicit, a scratchpad of tokens. ReAct = reason + act: it plans "
        "just in time, with no plan anywhere: each thought decides from the whole history. An explicit, "
        "deliberate one, a list, a tree or a graph, looks ahead and comes first: by decomposition, by "
        "deliberate search over plans (Tree of Thoughts), or as a decision problem (MDP, Markov decision "
        "process). Then it is carried out, and a step that fails makes a new one.",
    ),
)

REACT_ELEMENTS = (
    (
        "Thought",
        "a line `Thought:` of the output",
        "a short `reason` in each call, or reasoning that stays inside",
    ),
    ("Action", "`Action: tool[input]`, parsed out of the text by a regex", "a structured call of the API"),
    (
        "Observation",
        "text after `Observation:`, appended by code",
        "an item (`function_call_output`) or message with the id of its call, sent back to the model",
    ),
    ("Final answer", "a line `Final Answer:`, or `finish[…]`", "text without a tool call"),
)
"""What ReAct consists of, where it stands in a loop of text, and where with native tool calls."""
