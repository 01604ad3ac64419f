"""Calls a server with the stock Python client of protocol 0.3, over one transport. Prints each step as a line of JSON."""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    GetTaskPushNotificationConfigParams,
    Message,
    MessageSendConfiguration,
    Part,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
)

address, transport, token, receiver = sys.argv[1:5]


def told(step: str, **what: object) -> None:
    print(json.dumps({"step": step, **what}), flush=True)


def said(text: str) -> Message:
    return Message(message_id=str(uuid4()), role=Role.user, parts=[Part(root=TextPart(text=text))])


def shown(thing: object) -> object:
    return thing.model_dump(mode="json", by_alias=True, exclude_none=True) if thing is not None else None


async def collected(stream: object) -> list[dict]:
    return [{"task": shown(task), "update": shown(update)} async for task, update in stream]


async def main() -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        card = await A2ACardResolver(http, f"{address}/a2a/agents/clerk").get_agent_card()
        told("card", name=card.name, version=card.protocol_version)

        def client_of(streaming: bool, *targets: PushNotificationConfig) -> object:
            named = {"supported_transports": [transport], "push_notification_configs": list(targets)}
            config = ClientConfig(httpx_client=http, streaming=streaming, **named)
            return ClientFactory(config).create(card)

        client, waiting = client_of(True), client_of(False)

        told("stream", events=await collected(client.send_message(said("in pieces"))))

        [sent] = await collected(waiting.send_message(said("hello")))
        task_id = sent["task"]["id"]
        told("send", task=sent["task"])
        told("get", task=shown(await client.get_task(TaskQueryParams(id=task_id))))

        now = MessageSendConfiguration(blocking=False)
        [begun] = await collected(waiting.send_message(said("endless"), configuration=now))
        told("cancel", task=shown(await client.cancel_task(TaskIdParams(id=begun["task"]["id"]))))

        cut = client.send_message(said("slow"))
        seen = []
        async for task, _ in cut:
            seen.append(task.id)
            if len(seen) == 4:
                break
        await cut.aclose()
        told("resubscribe", events=await collected(client.resubscribe(TaskIdParams(id=seen[0]))))

        for step, work in [
            ("cancel again", client.cancel_task(TaskIdParams(id=task_id))),
            ("get nothing", client.get_task(TaskQueryParams(id="no-such-task"))),
        ]:
            try:
                await work
                told(step, error=None)
            except Exception as error:  # noqa: BLE001
                told(step, error=f"{type(error).__name__}: {error}")

        target = PushNotificationConfig(id="mine", url="https://client.example/hook")
        await client.set_task_callback(TaskPushNotificationConfig(task_id=task_id, push_notification_config=target))
        asked = GetTaskPushNotificationConfigParams(id=task_id, push_notification_config_id="mine")
        got = await client.get_task_callback(asked)
        told("configs", got=got.push_notification_config.url)

        telling = client_of(False, PushNotificationConfig(url=receiver, token="from-python"))
        [pushed] = await collected(telling.send_message(said("tell me")))
        told("push", task=pushed["task"])


asyncio.run(main())
