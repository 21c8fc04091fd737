"""The lecture's terms of tool use, by the view of the tool screen that shows them at work.

What a picture there shows is not repeated. A claim that no screen can show has its source.
"""

from collections.abc import Mapping

from core.teaching.terms import Term

SCHLUNTZ = "Schluntz and Zhang, Building Effective Agents. Anthropic, 2024"
GULLI = "Gulli, Agentic Design Patterns. Springer, 2025"

TERMS: Mapping[str, tuple[Term, ...]] = {
    "model": (
        Term(
            "Function calling",
            "The runtime advertises a schema for every tool: name, description, arguments. The model "
            "requests one by a structured call that matches a schema. It cannot execute anything itself.",
        ),
        Term(
            "No built-in knowledge",
            "A model knows no tools of its own: the same base model serves many agents, each with another "
            "tool set. So every call states which tools exist, in its argument `tools`.",
        ),
        Term(
            "Tool use, one pattern",
            "Also called function calling. Define; the model decides; it emits a structured call; the "
            "runtime executes it; observe the result; the model uses it: the ReAct loop with tools.",
            GULLI,
        ),
        Term("What a tool can be", "An API, a database, a code interpreter, web search, or another agent."),
        Term(
            "Why tools",
            "Training data are frozen. Tools bring real-time data, private data, exact calculations and "
            "actions in the world.",
        ),
        Term(
            "Workflow or agent",
            "A workflow, calls of a model on predefined code paths, is more predictable and cheaper. An "
            "agent, which directs its own steps, is for open-ended tasks whose outcome can be verified.",
            SCHLUNTZ,
        ),
    ),
    "call": (
        Term(
            "Three checks",
            "A call is a string that was sampled. Before any code of a tool runs: valid JSON, tool "
            "existence, schema conformity (types, required fields, enums). Here jsonschema checks; Pydantic, "
            "a library for data validation, made the schemas from typed functions, and can check as well.",
        ),
        Term(
            "The checks stay",
            "All three stay active where the provider applies constrained decoding or structured outputs: "
            "the runtime does not depend on it to exclude an ill-formed call.",
        ),
        Term(
            "Error recovery",
            "A failed check is returned as a tool result with the message in full, not raised as an "
            "exception. The model observes its mistake and can repair the call in the next turn.",
        ),
        Term(
            "Validation is not policy",
            "A well-formed call may still be forbidden: a path, a domain, the limit of a transaction. That "
            "is decided apart, at the security boundary.",
        ),
    ),
    "wire": (
        Term(
            "Native tool calling",
            "A mechanism of the API: a model fine-tuned for tool use takes the schemas in `tools`, and a "
            "structured object comes back, `response.tool_calls`, in place of raw text.",
        ),
        Term(
            "Prompt-based",
            "Training for tool calls makes them reliable, but is no requirement: the tools are described in "
            "the prompt, and the call is parsed out of the text (stop and parse). It works with any model "
            "that follows instructions, and is more brittle.",
        ),
        Term(
            "Strict or not",
            "OpenAI's strict mode (`\"strict\": true` in the schema) and Ollama's `format` constrain the "
            "decoding: arguments that violate the schema cannot be sampled. Elsewhere a schema only makes "
            "valid ones more probable.",
        ),
        Term(
            "Toolformer",
            "Training is no fixed recipe. Self-supervised, this model inserted candidate API calls into "
            "ordinary text and kept only those that lowered its own loss on the next tokens.",
            "Schick et al., 2023",
        ),
        Term(
            "Inference engine",
            "The program behind the API: it loads the weights of a model and computes its tokens. Ollama, "
            "llama.cpp and vLLM are engines for open-weight models; vLLM calls itself “a high-throughput and "
            "memory-efficient inference and serving engine for LLMs”. Of a hosted API the provider runs it.",
            "vLLM Project, vLLM. GitHub repository, 2026",
        ),
        Term(
            "The engine is not the runtime",
            "The runtime sends a request to the API and receives a response; the loop, the checks and the "
            "tools stay in the runtime. Others call the engine an inference server or a model runtime; here "
            "the runtime is always the agent's.",
        ),
        Term(
            "Who executes",
            "The model requests and cannot execute; the runtime (its gateway) does: there is the security "
            "boundary. Some managed platforms execute tools on their own servers: convenient, at the price "
            "of that control.",
        ),
    ),
    "interface": (
        Term(
            "Agent–Computer Interface (ACI)",
            "What a tool presents to a model: its name, its description, the names and types of its "
            "arguments, and the form of its result. To people a program presents a user interface.",
            "Yang, Jimenez et al., 2024",
        ),
        Term(
            "What is to be designed",
            "The content of name, description and parameters, which the developer writes: that is the whole "
            "of the ACI. The JSON envelope of the call is fixed by the API, and its machinery is unchanged.",
        ),
        Term(
            "Room to think",
            "The argument of chain of thought: computation per token is fixed, and an emitted token cannot "
            "be revised. Where the JSON is demanded at once, the model decides and formats in one step: the "
            "first field is fixed before the answer is worked out, and the others only stay consistent with "
            "it.",
        ),
        Term(
            "Thinking first",
            "Plain text before the call, or a free-text field for the reasoning that comes first, buys "
            "forward passes to decide before the format locks it in. Reasoning models do the same: thinking "
            "first, answer second.",
        ),
        Term(
            "Natural formats",
            "What is frequent in training data: Markdown over heavily escaped JSON. Counting lines or "
            "escaping code by hand spends attention on bookkeeping, and each is a chance to malform the "
            "call.",
        ),
        Term(
            "Poka-yoke",
            "Mistake-proofing: misuse is hard, not merely forbidden. A relative path is right only if the "
            "model has kept track of the working directory; an absolute path cannot fail for that reason. "
            "Likewise an enum in place of free text, and one unit in place of “a number”.",
        ),
        Term(
            "How it is judged",
            "A user interface: can a person operate it without a manual? An ACI: can a model operate it "
            "without guessing? Call quality tells: fewer missed calls, malformed arguments and retries.",
        ),
        Term(
            "A practitioner's report",
            "Engineers at Anthropic put as much effort into the ACI as into a user interface: for their "
            "agent on SWE-bench, a benchmark of GitHub issues to be resolved in real repositories, the "
            "tools took more optimisation than the prompt. The five rules are from the same article.",
            SCHLUNTZ,
        ),
    ),
    "kinds": (
        Term(
            "Specific tool",
            "One predefined capability, such as `get_weather(city)` or `send_email(to, body)`: easy to "
            "validate and to restrict.",
        ),
        Term(
            "Code tool",
            "One general tool, such as `run_python(code)`, whose argument is code: an action can contain a "
            "loop, compose several steps and use variables. It executes arbitrary code, so it needs a "
            "sandbox and is harder to restrict.",
            "CodeAct: Wang et al., 2024",
        ),
        Term(
            "Two axes",
            "Format: how the call comes back, native JSON or prompt-based. Kind: what the tool does, one "
            "thing or any program. They are independent; smolagents takes code and prompt-based. MCP is a "
            "third one: where the tool comes from.",
        ),
    ),
    "mcp": (
        Term(
            "Model Context Protocol",
            "An open protocol by which a server offers tools, resources and prompt templates, and by which "
            "the runtime of an agent discovers and calls them.",
            "Anthropic, 2024",
        ),
        Term(
            "Without it and with it",
            "Without it every tool is written into the runtime of one agent. With it, a tool is written "
            "once and reused by every MCP-capable client, across agents and providers, without adapter "
            "code, and servers are connected to a large tool set: files, web, databases, coding tools.",
        ),
        Term(
            "Static or at run time",
            "In plain function calling the tool set is part of the runtime's code. A client asks an MCP "
            "server at run time what it offers.",
        ),
        Term(
            "Still function calling",
            "MCP standardises discovery and transport. The model receives a list of tools, emits an "
            "ordinary tool call (the same `tool_calls`) and knows nothing of MCP. Discovery, transport by "
            "JSON-RPC (remote procedure calls in JSON), routing and security are the runtime's.",
        ),
        Term(
            "Only a contract",
            "Of the connection, not of the quality behind it. A server that returns raw PDFs, or one record "
            "at a time, is useless to an agent. It needs an agent-friendly API, with deterministic filters "
            "and sorting, and machine-readable output. Agents do not replace deterministic workflows; they "
            "need them underneath.",
            GULLI,
        ),
        Term(
            "Security",
            "A server is external code and data, possibly not to be trusted: the security boundary of the "
            "gateway and the defences against prompt injection hold for it.",
        ),
    ),
}
