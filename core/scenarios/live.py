"""A live run: what a person asks for, and the run that comes of it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Literal

from core.agent import Guards, Tool, continued, record, resume, run
from core.agent.asking import Watch
from core.agent.code_tool import RUN_PYTHON
from core.agent.embedded_chat import EmbeddedChat
from core.agent.hermes import Thought
from core.agent.live import LiveRun
from core.agent.mcp_client import discover
from core.agent.settings import LoopKind, Setting, Thoughts, setting
from core.context import TokenCounter
from core.errors import InputError
from core.lm import embedded, load_tokenizer
from core.lm.chat import StreamingModel
from core.lm.chat_options import ChatOptions
from core.lm.servers import Servers
from core.sampling import SamplerSettings
from core.scenarios.calculator import CALCULATE
from core.scenarios.catalogue import trace
from core.scenarios.first_runs import ASK_STATION
from core.scenarios.scenario import Scenario
from core.scenarios.tools import GET_ENROLLMENT, GET_FORECAST, GET_WEATHER, SEARCH_DOCS
from core.scenarios.variants import ASK_LIBRARIAN, WRITE_PLAN
from core.scenarios.website import OPEN_PAGE, READ_FORUM, SEND_MAIL
from core.trace import Step, Trace
from core.values import Value

TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        *(GET_WEATHER, GET_FORECAST, CALCULATE, SEARCH_DOCS, GET_ENROLLMENT, RUN_PYTHON),
        *(OPEN_PAGE, READ_FORUM, SEND_MAIL),
        *(ASK_STATION, WRITE_PLAN, ASK_LIBRARIAN),
    )
}
"""All tools of the bundled runs, so that each of them can go on live."""

LIBRARY = "library"
"""In place of a tool: all tools of the bundled MCP server."""

UNDER_A_GRAMMAR = ("guided", "grammar")
"""Ways of calling in which the embedded model is held to a form."""

AS_TEXT = ("free", "text")
"""Ways of calling in which the calls are text that the runtime reads."""

EXAMPLES: Mapping[Thoughts, tuple[str, ...]] = {"dense": ("react", "text"), "sparse": ("sparse", "text")}
"""The bundled runs that are shown to a model which has to write ReAct as text, with as many thoughts."""

IN_THE_GRAMMAR: Mapping[Thoughts, Thought] = {"dense": "must", "sparse": "may"}
"""Where the embedded model is held to a form, whether that has a thought before a call."""

ALTERNATIVES = 8


class Request(Value):
    """What to run.

    `kind` and `model` choose the model, `calls` how it calls tools, as `core.lm.available` says. `tools` are
    names of `TOOLS`, or `LIBRARY`. `parallel`: whether
    the calls of a turn run at once. `temperature` is the sampler's; the seed makes a run repeatable where the
    server keeps to it.
    """

    question: str
    kind: Literal["embedded", "ollama", "openai"] = "embedded"
    model: str = ""
    calls: str = "guided"
    loop: LoopKind = LoopKind.REACT
    thoughts: Thoughts = "sparse"
    tools: tuple[str, ...] = ("get_weather", "get_forecast")
    max_steps: int = 6
    parallel: bool = False
    temperature: float = 0.0
    seed: int = 0

    @property
    def described(self) -> str:
        """How the model is run, in a line."""
        thoughts = f", {self.thoughts} thoughts" if self.loop is LoopKind.REACT else ""
        calls = f" Calls: {self.calls}." if self.loop is not LoopKind.CHAIN_OF_THOUGHT else ""
        at_once = " Calls of a turn at once." if self.parallel else ""
        return f"Loop: {self.loop}{thoughts}.{calls}{at_once} T = {self.temperature:g}, seed {self.seed}."

    @property
    def drawing(self) -> Literal["greedy", "grammar", "greedy grammar", "sampled"]:
        """How a token comes from the model's distribution."""
        if self.kind == "embedded" and self.calls in UNDER_A_GRAMMAR:
            return "grammar" if self.temperature else "greedy grammar"
        return "sampled" if self.temperature else "greedy"


class Begun:
    """A live run that has begun, and what it is a run of.

    Args:
        after: an unfinished run that goes on, in place of a question.
        rules: the bundled run that `after` came from: its goal, policy and guards stay in force.

    Raises:
        InputError: there is no question, or a model, a tool or a loop that there is not.
    """

    def __init__(
        self,
        request: Request,
        servers: Servers,
        after: Trace | None = None,
        rules: Scenario | None = None,
    ) -> None:
        if after is None and not request.question.strip():
            raise InputError("There is nothing to answer yet: ask a question.")
        if unknown := [name for name in request.tools if name not in (*TOOLS, LIBRARY)]:
            raise InputError(f"There is no tool {unknown[0]!r}: choose from {', '.join((*TOOLS, LIBRARY))}.")
        self.request = request
        self.rules = rules
        self._after = after
        self._model, self._counter = model_of(request, servers)
        self._setting = _setting(request, ())
        self.live = LiveRun(self._steps)

    @property
    def trace(self) -> Trace:
        """The run as far as it has come."""
        steps, given = self.live.steps, self._setting
        if self._after is not None:
            return continued(self._after, steps, source="live", model=self.request.model)
        return record(
            steps,
            title=self.request.question,
            source="live",
            model=self.request.model,
            description=self.request.described,
            system=given.system,
            tools=[tool.schema for tool in given.tools],
            max_steps=given.max_steps,
            history=given.history,
        )

    def _steps(self, watch: Watch) -> Iterator[Step]:
        with ExitStack() as opened:
            server = opened.enter_context(discover()) if LIBRARY in self.request.tools else None
            self._setting = given = _setting(self.request, server.tools if server else ())
            guards = self.rules.guards if self.rules else Guards()
            guards = guards.model_copy(update={"parallel": guards.parallel or self.request.parallel})
            if self._after is not None:
                yield from resume(
                    self._after,
                    self._model,
                    given.tools,
                    counter=self._counter,
                    format=given.format,
                    policy=self.rules.policy if self.rules else None,
                    guards=guards,
                    watch=watch,
                    goal=self.rules.goal if self.rules else None,
                )
                return
            yield from run(
                self._model,
                self.request.question,
                given.tools,
                system=given.system,
                max_steps=given.max_steps,
                counter=self._counter,
                history=given.history,
                format=given.format,
                guards=guards,
                watch=watch,
            )


def tools_for(trace: Trace) -> tuple[str, ...]:
    """What a request has to name for a run to go on with the tools that it had.

    Tools that are not known here, of a run from a file say, can only be those of the library: where they are
    not, a call of one has an error as its result.
    """
    names = [tool.name for tool in trace.tools or ()]
    others = (LIBRARY,) if set(names) - set(TOOLS) else ()
    return (*(name for name in names if name in TOOLS), *others)


def _setting(request: Request, discovered: Sequence[Tool]) -> Setting:
    as_text = request.calls in AS_TEXT
    # A model that was not trained for the format is shown a run of it.
    shown = as_text and request.kind == "embedded" and request.loop is LoopKind.REACT
    return setting(
        request.loop,
        [*(TOOLS[name] for name in request.tools if name in TOOLS), *discovered],
        thoughts=request.thoughts,
        as_text=as_text,
        examples=[trace(slug) for slug in EXAMPLES[request.thoughts]] if shown else (),
        max_steps=request.max_steps,
    )


def model_of(request: Request, servers: Servers) -> tuple[StreamingModel, TokenCounter]:
    """The model, and how its contexts are counted: with its own tokenizer where that is here."""
    calls: Any = request.calls
    if request.kind == "embedded":
        settings = SamplerSettings(temperature=request.temperature)
        thought: Thought = IN_THE_GRAMMAR[request.thoughts] if request.loop is LoopKind.REACT else "none"
        model = EmbeddedChat(embedded(), calls, settings, request.seed, thought=thought)
        return model, model.counter
    estimate = TokenCounter(load_tokenizer(), is_the_models=False)
    options = ChatOptions(temperature=request.temperature, seed=request.seed, alternatives=ALTERNATIVES)
    if request.kind == "ollama":
        from core.lm.ollama_chat import OllamaChat  # imported late: the clients take a while to load

        return OllamaChat(servers.ollama, request.model, options, calls=calls), estimate
    if servers.openai is None:
        raise InputError("No OpenAI-compatible server is configured here: choose another model.")
    from core.lm.openai_chat import OpenAIChat

    return OpenAIChat(servers.openai, request.model, options, calls=calls), estimate
