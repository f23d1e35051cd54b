"""Families of models by their names."""

import pytest

from vivavoce.models import is_same_family, model_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/gpt-4o-mini", "gpt"),
        ("anthropic/claude-sonnet-4", "claude"),
        ("hf/meta-llama/Meta-Llama3.1-8B", "llama"),
        ("openrouter/qwen/qwen2.5-72b-instruct", "qwen"),
        # A fine-tuned model is of the family it was made from.
        ("hf/NousResearch/Nous-Hermes-2-Mixtral-8x7B-DPO", "mistral"),
        ("hf/deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "llama"),
        ("openai-api/lab/our-model", "lab/our-model"),
        ("extractive/lead", "lead"),
    ],
)
def test_a_name_tells_its_family(name: str, family: str) -> None:
    assert model_family(name) == family


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("openai/gpt-4o", "azureai/gpt-4.1"),
        ("openai/some-new-thing", "openai/gpt-4o"),
        ("google/gemini-2.5-pro", "google/gemma-3"),
        ("bedrock/anthropic.claude-3", "anthropic/claude-sonnet-4"),
        ("hf/deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek/deepseek-chat"),
        ("openai-api/lab/our-model", "openai-api/lab/our-model"),
    ],
)
def test_models_of_one_family(first: str, second: str) -> None:
    assert is_same_family(first, second)
    assert is_same_family(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("openai/gpt-4o", "anthropic/claude-sonnet-4"),
        # A provider that serves everyone's models tells nothing.
        ("together/meta-llama/Llama-3-70b", "together/qwen/qwen2.5-72b"),
        ("openai-api/lab/one", "openai-api/lab/two"),
        ("none", "openai/gpt-4o"),
    ],
)
def test_models_of_two_families(first: str, second: str) -> None:
    assert not is_same_family(first, second)
