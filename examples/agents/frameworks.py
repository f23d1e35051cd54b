"""Agents of your own as contestants: by hand, and with four frameworks.

`viva run leaderboard --round sample --model MODEL --logs logs --agent frameworks.py@by_hand`

Each function takes the question and the round's papers as two plain functions, `search` and `read`.
A client that asks for the model `inspect` reaches the model of the run, so that its tokens and
dollars are counted and its replies are in the log. A framework is needed only by its own function.
"""

import asyncio
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

Tools = Mapping[str, Callable[..., str]]


async def by_hand(question: str, tools: Tools) -> str:
    """Search once, read the best paper's outline, and ask the model with what was found."""
    from openai import AsyncOpenAI

    found = tools["search"](question[:300])
    shown = f"{question}\n\nFound in the papers:\n{found}"
    client = AsyncOpenAI(api_key="unused")
    reply = await client.chat.completions.create(
        model="inspect", messages=[{"role": "user", "content": shown}]
    )
    return reply.choices[0].message.content or ""


async def openai_agents(question: str, tools: Tools) -> str:
    """OpenAI Agents (`pip install openai-agents`)."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
    from agents.tracing import set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    agent = Agent(
        name="reader",
        model=OpenAIChatCompletionsModel("inspect", AsyncOpenAI(api_key="unused")),
        tools=[function_tool(tool) for tool in tools.values()],
    )
    return str((await Runner.run(agent, question)).final_output)


async def langgraph(question: str, tools: Tools) -> str:
    """LangGraph (`pip install langchain langchain-openai`)."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    agent = create_agent(ChatOpenAI(model="inspect", api_key="unused"), list(tools.values()))
    found = await agent.ainvoke({"messages": [("user", question)]})
    return str(found["messages"][-1].content)


async def pydantic_ai(question: str, tools: Tools) -> str:
    """PydanticAI (`pip install "pydantic-ai-slim[openai]"`)."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("inspect", provider=OpenAIProvider(api_key="unused"))
    agent = Agent(model, tools=list(tools.values()))
    return str((await agent.run(question)).output)


async def smolagents(question: str, tools: Tools) -> str:
    """Smolagents (`pip install "smolagents[openai]"`), whose client waits: it works in a thread."""
    from openai import AsyncOpenAI
    from smolagents import OpenAIServerModel, ToolCallingAgent, tool

    loop, client = asyncio.get_running_loop(), AsyncOpenAI(api_key="unused")

    def ask(**request: Any) -> Any:
        made = client.chat.completions.create(**request)
        return asyncio.run_coroutine_threadsafe(made, loop).result()

    model = OpenAIServerModel(model_id="inspect", api_key="unused")
    model.client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=ask)))
    known = [tool(each) for each in tools.values()]
    agent = ToolCallingAgent(tools=known, model=model, verbosity_level=0)
    return str(await asyncio.to_thread(agent.run, question))
