"""The request that asks an Ollama for the settings in view: which parameter goes through which client."""

from core.sampling import SamplerSettings

MODEL = "qwen2.5:7b"  # the model of the lecture's lab


def request_code(prompt: str, settings: SamplerSettings) -> str:
    """Python of two requests: by the OpenAI client, which takes T and top-p alone, and by Ollama's own."""
    shared = f'model="{MODEL}", messages=messages'
    return f"""messages = [{{"role": "user", "content": {prompt!r}}}]

# The OpenAI client has no top_k and no min_p: Ollama's own stay, of which top_k is 40.
from openai import OpenAI

client = OpenAI(base_url="http://localhost:11434/v1", api_key="ollama")
client.chat.completions.create(
    {shared},
    temperature={settings.temperature:g}, top_p={settings.top_p:g},
)

# Ollama's client takes all four; top_k = 0 is off.
import ollama

ollama.chat(
    {shared},
    options={{
        "temperature": {settings.temperature:g}, "top_p": {settings.top_p:g},
        "top_k": {settings.top_k}, "min_p": {settings.min_p:g},
    }},
)
"""
