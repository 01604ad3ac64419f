"""Drives AgentOSClient of agno against a server. Prints one JSON line for each case.

Usage: agno_client.py ORIGIN
"""

import asyncio
import json
import logging
import sys

import httpx
from agno.client import AgentOSClient
from agno.db.base import SessionType
from agno.run.agent import run_output_event_from_dict
from agno.run.requirement import RunRequirement
from agno.run.team import team_run_output_event_from_dict
from agno.run.workflow import workflow_run_output_event_from_dict
from agno.workflow.types import StepRequirement

client = AgentOSClient(sys.argv[1], timeout=60)
events_of = {
    "agent": run_output_event_from_dict,
    "team": team_run_output_event_from_dict,
    "workflow": workflow_run_output_event_from_dict,
}
faults = []


class Faults(logging.Handler):
    """Collects the lines of streams that the client cannot read, which it logs as errors."""

    def emit(self, record):
        faults.append(record.getMessage()[:200])


for name in ("agno", "agno-team", "agno-workflow"):
    log = logging.getLogger(name)
    log.handlers = [Faults(level=logging.ERROR)]
    log.propagate = False


def status_of(run):
    return getattr(run.status, "value", run.status)


def answer_call(call):
    if call.needs_confirmation:
        call.confirm()
    if call.needs_user_input:
        call.provide_user_input({"name": "Ada"})
    if call.needs_external_execution:
        call.set_external_execution_result("2")


def answer_step(step, how):
    if step.needs_executor_resolution:
        calls = [RunRequirement.from_dict(call) for call in step.executor_requirements]
        for call in calls:
            answer_call(call)
        step.executor_requirements = [call.to_dict() for call in calls]
    elif step.needs_output_review:
        if how == "edit":
            step.edit("edited")
        elif how == "again" and step.retry_count == 0:
            step.reject("more")
        else:
            step.confirm()
    elif step.needs_user_input:
        step.set_user_input(name="Ada")
    elif step.needs_route_selection:
        step.select("left")
    elif step.needs_confirmation:
        step.confirm()


def answered(kind, paused, how):
    """Answers a pause, from the run's record or from the event of its pause."""
    if kind == "workflow":
        # The client does not parse the requirements of an event.
        steps = [s if isinstance(s, StepRequirement) else StepRequirement.from_dict(s) for s in paused.step_requirements]
        for step in steps:
            if not step.is_resolved:
                answer_step(step, how)
        return steps
    for call in paused.requirements:
        answer_call(call)
    return [call.tool_execution for call in paused.requirements] if kind == "agent" else paused.requirements


def called(kind, what, streams):
    name = f"{what}_{kind}" + ("" if what == "run" else "_run") + ("_stream" if streams else "")
    return getattr(client, name)


def seen(step):
    """Returns the client's view of a step that waits."""
    return {
        "step": step.step_name,
        "run": step.executor_run_id,
        "executor": [step.executor_id, step.executor_name, step.executor_type, step.executor_session_id],
        "calls": len(step.executor_requirements or []),
        "output": step.step_output.content if step.step_output else None,
    }


async def whole(kind, id, message, how):
    """Returns the record of each stop of a run, up to its end."""
    stops = []
    run = await called(kind, "run", False)(id, message, session_id=f"{id}-{message}-{how}")
    while True:
        stop = {"status": status_of(run), "content": run.content}
        if kind == "workflow":
            stop["results"] = [result.content for result in run.step_results]
            stop["executors"] = [[status_of(one), one.run_id] for one in run.step_executor_runs or []]
            if run.is_paused:
                stop["waits"] = [seen(step) for step in run.active_step_requirements]
        stops.append(stop)
        if not run.is_paused or len(stops) > 5:
            return {"stops": stops}
        given = answered(kind, run, how)
        run = await called(kind, "continue", False)(id, run.run_id, given, session_id=run.session_id)


async def streamed(kind, id, message, how):
    """Returns the events of a run, with its pauses, up to its end."""
    names, stops = [], []
    stream = called(kind, "run", True)(id, message, session_id=f"{id}-{message}-{how}-stream")
    while True:
        last = None
        async for event in stream:
            names.append(event.event)
            last = event
        stop = {"event": last.event}
        if kind == "workflow" and last.event == "WorkflowPaused":
            parse = StepRequirement.from_dict
            steps = [s if isinstance(s, StepRequirement) else parse(s) for s in last.step_requirements]
            stop["waits"] = [seen(step) for step in steps if not step.is_resolved]
            stop["results"] = [result["content"] if isinstance(result, dict) else result.content for result in last.step_results]
            runs = [one if isinstance(one, dict) else one.to_dict() for one in last.step_executor_runs]
            stop["executors"] = [[one["status"], one["run_id"]] for one in runs]
        elif "Paused" not in last.event:
            stop["content"] = last.content
        stops.append(stop)
        if "Paused" not in last.event or len(stops) > 5:
            return {"names": names, "stops": stops}
        given = answered(kind, last, how)
        stream = called(kind, "continue", True)(id, last.run_id, given, session_id=last.session_id)


async def cut(kind, id, message):
    """Leaves a stream after a few events, and resumes it with the client's own reader of streams."""
    run, last, text = None, -1, ""

    async def take(path, data, most):
        nonlocal run, last, text
        lines = client._astream_post_form_data(path, data)
        async for line in lines:
            if not line.startswith("data: "):
                continue
            data = json.loads(line[6:])
            if "event_index" not in data:
                continue
            assert data["event_index"] == last + 1, line
            last = data["event_index"]
            event = events_of[kind](data)
            run = run or event.run_id
            if event.event.endswith("RunContent"):
                text += event.content
            most -= 1
            if most == 0:
                await lines.aclose()
                return False
        return True

    ended = await take(f"/{kind}s/{id}/runs", {"message": message, "stream": "true"}, 5)
    while not ended:
        ended = await take(f"/{kind}s/{id}/runs/{run}/resume", {"last_event_index": str(last)}, 7)
    return {"text": text, "last": last}


async def tour(kind, id):
    """Calls every other method for which a server of this interface has a route. Returns the failures by name."""
    failed = {}

    async def tried(name, *args, **kwargs):
        try:
            result = getattr(client, name)(*args, **kwargs)
            return await result if asyncio.iscoroutine(result) else result
        except Exception as error:
            failed[name] = said(error)

    await tried("get_config")
    await tried("aget_config")
    await tried("get_models")
    await tried(f"list_{kind}s")
    await tried(f"get_{kind}", id)
    await tried(f"aget_{kind}", id)
    type = SessionType(kind)
    session = f"tour-{kind}"
    state = {"session_state": {"a": 1}, "metadata": {"b": 2}}
    run = await tried(f"run_{kind}", id, "hello", session_id=session, user_id="ada", **state)
    paused = await tried(f"run_{kind}", id, "mail", session_id=f"{session}-paused", user_id="ada")
    listed = await tried("get_session_runs", f"{session}-paused", session_type=type)
    await tried(f"cancel_{kind}_run", id, paused.run_id)
    await tried("get_sessions", session_type=type, component_id=id, user_id="ada", limit=5, page=1)
    detail = await tried("get_session", session, session_type=type)
    runs = await tried("get_session_runs", session, session_type=type)
    one = await tried("get_session_run", session, run.run_id, session_type=type)
    renamed = await tried("rename_session", session, "Name", session_type=type)
    await tried("update_session", session, session_type=type, session_name="Other", summary={"summary": "x"}, **state)
    ids = {f"{kind}_id": id}
    made = await tried("create_session", session_type=type, session_name="Made", user_id="ada", **state, **ids)
    await tried("delete_session", session)
    await tried("delete_sessions", [made.session_id], [type])
    seen = [len(listed), listed[0].status, len(runs), one.content, renamed.session_name, detail.session_id == session]
    return {"failed": failed, "seen": seen}


def said(error):
    """Returns the text of an error, with the server's response."""
    try:
        body = error.response.text
    except (AttributeError, httpx.ResponseNotRead):
        body = ""
    return f"{type(error).__name__}: {error} {body}"


async def main():
    for case in json.load(sys.stdin):
        faults.clear()
        kind, id, message = case["kind"], case["id"], case["message"]
        try:
            if case["way"] == "cut":
                told = await cut(kind, id, message)
            elif case["way"] == "tour":
                told = await tour(kind, id)
            else:
                way = whole if case["way"] == "whole" else streamed
                told = await way(kind, id, message, case.get("how"))
        except Exception as error:
            told = {"error": said(error)}
        print(json.dumps({**told, "faults": list(faults)}), flush=True)


asyncio.run(main())
