"""Calls a server with the stock Python client, by one version over one binding. Prints each step as a line of JSON."""

import asyncio
import json
import sys
from uuid import uuid4

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
)
from google.protobuf.json_format import MessageToDict

address, binding, token, receiver, version = sys.argv[1:6]


def told(step: str, **what: object) -> None:
    print(json.dumps({"step": step, **what}), flush=True)


def said(text: str, **more: object) -> SendMessageRequest:
    message = Message(message_id=str(uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    return SendMessageRequest(message=message, configuration=SendMessageConfiguration(**more))


async def collected(stream: object) -> list[dict]:
    return [MessageToDict(event) async for event in stream]


async def main() -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    # The header selects a card of that version: the client uses the newest version of the card.
    if version:
        headers["A2A-Version"] = version
    async with httpx.AsyncClient(headers=headers, timeout=60) as http:
        card = await A2ACardResolver(http, f"{address}/a2a/agents/clerk").get_agent_card()
        told("card", name=card.name, interfaces=len(card.supported_interfaces))

        def client_of(streaming: bool) -> object:
            config = ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[binding])
            return ClientFactory(config).create(card)

        client, waiting = client_of(True), client_of(False)

        told("stream", events=await collected(client.send_message(said("in pieces"))))

        [sent] = await collected(waiting.send_message(said("hello")))
        task_id = sent["task"]["id"]
        told("send", task=sent["task"])
        told("get", task=MessageToDict(await client.get_task(GetTaskRequest(id=task_id))))
        if version != "0.3":
            listed = await client.list_tasks(ListTasksRequest(page_size=1))
            told("list", tasks=len(listed.tasks), total=listed.total_size, more=listed.next_page_token != "")

        [begun] = await collected(waiting.send_message(said("endless", return_immediately=True)))
        cancelled = await client.cancel_task(CancelTaskRequest(id=begun["task"]["id"]))
        told("cancel", task=MessageToDict(cancelled))

        cut = client.send_message(said("slow"))
        seen = []
        async for event in cut:
            seen.append(MessageToDict(event))
            if len(seen) == 4:
                break
        await cut.aclose()
        slow = seen[0]["task"]["id"]
        told("subscribe", events=await collected(client.subscribe(SubscribeToTaskRequest(id=slow))))

        for step, work in [
            ("cancel again", client.cancel_task(CancelTaskRequest(id=task_id))),
            ("get nothing", client.get_task(GetTaskRequest(id="no-such-task"))),
        ]:
            try:
                await work
                told(step, error=None)
            except Exception as error:  # noqa: BLE001
                told(step, error=type(error).__name__)

        push = TaskPushNotificationConfig(id="mine", task_id=task_id, url="https://client.example/hook")
        await client.create_task_push_notification_config(push)
        named = {"task_id": task_id, "id": "mine"}
        got = await client.get_task_push_notification_config(GetTaskPushNotificationConfigRequest(**named))
        kept = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task_id))
        await client.delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest(**named))
        left = await client.list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest(task_id=task_id))
        told("configs", got=got.url, kept=len(kept.configs), left=len(left.configs))

        target = TaskPushNotificationConfig(url=receiver, token="from-python")
        [pushed] = await collected(waiting.send_message(said("tell me", task_push_notification_config=target)))
        told("push", task=pushed["task"])


asyncio.run(main())
