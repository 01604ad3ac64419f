/** A page with the hooks of `troupe/react`. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "troupe/client";
import { TroupeProvider, useRun, useSession } from "troupe/react";

const query = new URLSearchParams(location.search);
const client = createClient({ url: query.get("url") ?? "" });

function Ask() {
  const run = useRun({ team: "store" });
  return (
    <section id="run" data-status={run.status} data-error={run.error?.message} data-cursor={run.cursor}>
      <button type="button" id="start" onClick={() => run.start(query.get("text") ?? "")}>
        Start
      </button>
      {run.pause?.requirements.map(({ id }) => (
        <button type="button" key={id} id="confirm" onClick={() => run.continue([{ id, confirmation: true }])}>
          Confirm
        </button>
      ))}
      <p>{run.text}</p>
    </section>
  );
}

function Conversation() {
  const { runs, run, send, error } = useSession({ agent: "seller" }, query.get("id") ?? "");
  return (
    <section id="session" data-status={run.status} data-error={error?.message}>
      <button type="button" id="send" onClick={() => send(query.get("text") ?? "")}>
        Send
      </button>
      <ol>
        {runs.map(({ run_id, content }) => (
          <li key={run_id}>{String(content)}</li>
        ))}
      </ol>
      <p>{run.text}</p>
    </section>
  );
}

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <StrictMode>
    <TroupeProvider client={client}>
      <Ask />
      <Conversation />
    </TroupeProvider>
  </StrictMode>,
);
