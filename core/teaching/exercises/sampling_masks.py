"""By hand: the mask over the tokens that a grammar forbids."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.sampling import SamplerSettings, distribution, logits_from_probs, masked
from core.teaching.exercises.base import ChoiceField, Kind, Made, Mistake, NumberField, SetField, Step, Table
from core.teaching.exercises.sampling_drawn import given, probabilities

MASK = r"P'(W_t{=}i)=\frac{\mathbb 1[\,i\in A(s_t)\,]\,P(W_t{=}i)}{\sum_{j\in A(s_t)}P(W_t{=}j)}"
TOKENS = 5


@dataclass(frozen=True)
class Format:
    """A format with finitely many texts: what the task says of it, its texts, and tokens to offer."""

    said: str
    texts: tuple[str, ...]
    tokens: tuple[str, ...]

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Everything with which a text of the format begins, or is."""
        return frozenset(text[:end] for text in self.texts for end in range(len(text) + 1))

    def allows(self, so_far: str, token: str) -> bool:
        """Whether a text of the format begins so."""
        return so_far + token in self.beginnings


def _one_of(texts: str, tokens: str) -> Format:
    listed = tuple(texts.split())
    return Format(f"one of: {', '.join(listed)}", listed, tuple(tokens.split()))


_TIMES = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60))
_TIME_TOKENS = ("0", "1", "2", "3", "9", ":", ":0", ":3", ":6", ":75", "12", "24", "30", "59", "60", "7")
_NUMBERS = tuple(map(str, range(1, 1000)))
_NUMBER_TOKENS = ("0", "1", "7", "12", "40", "99", "05", "123", "-1", "1.5", "a", "3,")

FORMATS = (
    _one_of("red green grey blue", "re red d gre green en y e ey b blue lue g r ue rey reen"),
    _one_of("true false null", "tr true rue ue e fal false alse se n null ull t f nu lse"),
    _one_of("monday tuesday thursday", "mon day tues thurs t u es h hurs ues m onday sday d urs ay"),
    _one_of("celsius centigrade kelvin", "c cel cent kel sius igrade vin e el ent k n l in i s"),
    Format("a whole number from 1 to 999, without a leading 0", _NUMBERS, _NUMBER_TOKENS),
    Format("a time of day from 00:00 to 23:59", _TIMES, _TIME_TOKENS),
)


def mask(rng: np.random.Generator) -> Made:
    """Which tokens a format allows, and what becomes of their probabilities."""
    while True:
        chosen = FORMATS[int(rng.integers(len(FORMATS)))]
        text = chosen.texts[int(rng.integers(len(chosen.texts)))]
        so_far = text[: int(rng.integers(0, len(text)))]
        tokens = tuple(chosen.tokens[i] for i in rng.permutation(len(chosen.tokens))[:TOKENS].tolist())
        allowed = [token for token in tokens if chosen.allows(so_far, token)]
        if 2 <= len(allowed) <= 3:
            break
    while True:
        probs = probabilities(rng, TOKENS)
        before = tokens[int(np.argmax(probs))]
        if before not in allowed:  # so that the mask changes what greedy takes
            break
    logits = masked(logits_from_probs(probs), [tokens.index(token) for token in allowed])
    result = distribution(logits, SamplerSettings())
    by_token = dict(zip(tokens, probs, strict=True))
    after = dict(zip(tokens, result.probs.tolist(), strict=True))
    greedy = max(allowed, key=by_token.__getitem__)
    mass = sum(by_token[token] for token in allowed)
    whole = frozenset(token for token in tokens if so_far + token in chosen.texts)
    anew = frozenset(token for token in tokens if chosen.allows("", token))

    def instead(sentence: str, other: frozenset[str]) -> list[Mistake]:
        if not other:
            return []
        shared = sum(by_token[token] for token in other)
        share = max(by_token[token] for token in other) / shared
        return [Mistake(sentence, {"allowed": other, "removed": 1 - shared, "share": share})]

    return Made(
        task=f"The text has to be {chosen.said}. So far it is {f'“{so_far}”' if so_far else 'empty'}. "
        "Apply the mask. Which token does greedy take then, and how probable is it?",
        given=(given(probs, tokens=tokens),),
        fields=(
            SetField("allowed", "Allowed", tokens),
            NumberField("removed", "Mass removed", probability=True),
            ChoiceField("greedy", "Greedy takes", tokens),
            NumberField("share", "P′ of that token", probability=True),
        ),
        answers={
            "allowed": frozenset(allowed),
            "removed": 1 - mass,
            "greedy": greedy,
            "share": after[greedy],
        },
        hint="Write each token behind the text so far: can what stands there still become a text that fits?",
        mistakes=(
            Mistake(
                "Not renormalised: divide by the mass of the allowed tokens.",
                {"share": by_token[greedy]},
                ("share",),
            ),
            Mistake("That is the mass that stays.", {"removed": mass}, ("removed",)),
            Mistake("Divided by the mass that was removed.", {"share": by_token[greedy] / (1 - mass)}),
            *instead("A token need not finish the text; it must leave a way to.", whole),
            *instead("The text so far counts: the token goes behind it.", anew),
            Mistake("Those are the forbidden ones.", {"allowed": frozenset(tokens) - frozenset(allowed)}),
            *(
                mistake
                for token in tokens
                if token not in allowed
                for mistake in instead(
                    f"“{so_far}{token}” can become no text that fits.", frozenset({*allowed, token})
                )
            ),
            *(
                mistake
                for token in allowed
                for mistake in instead(
                    f"“{so_far}{token}” fits, or can become a text that fits.", frozenset(allowed) - {token}
                )
            ),
            Mistake("That was the most probable one, but it is forbidden.", {"greedy": before}),
            *(
                Mistake(
                    "Greedy takes the most probable of those that are allowed."
                    if token in allowed
                    else f"“{so_far}{token}” is forbidden: it can become no text that fits.",
                    {"greedy": token},
                )
                for token in tokens
                if token not in (greedy, before)
            ),
        ),
        steps=(
            Step(
                f"Each token behind the text so far. What is allowed has {mass:.2f}, the mask removes "
                f"{1 - mass:.2f}.",
                Table(
                    ("token", *tokens),
                    (
                        ("text", *(so_far + token for token in tokens)),
                        ("", *("can fit" if token in allowed else "–" for token in tokens)),
                        ("P′", *(f"{after[token]:.3f}" for token in tokens)),
                    ),
                ),
            ),
            Step(
                f"Now “{greedy}” is the most probable: {by_token[greedy]:.2f} / {mass:.2f}"
                f" = {after[greedy]:.3f}."
            ),
        ),
    )


MASKS = (Kind("mask", "A mask over forbidden tokens", "A", 1, mask, MASK),)
