/** Intended differences between our OpenAPI document and the recorded one. An entry that matches nothing fails the test. */
export interface Difference {
  /** Which operations, as `METHOD /path`. */
  operation: RegExp;
  /** Which facts, with `+` (ours only) or `-` (recorded only) before them. */
  fact: RegExp;
  reason: string;
}

const starts = /^POST \/(agents|teams|workflows)\/\{\w+\}\/runs$/;
const a2a = /^\w+ \/a2a\//;
const resumes = /^POST .*\/resume$/;

export const differences: Difference[] = [
  {
    operation: /^GET \/(agents|teams|workflows|sessions)\/\{\w+\}\/runs/,
    fact: /^\+response 200 application\/json(\[\])?\.component_version: integer$/,
    reason: "The version of its component that a run began with.",
  },
  {
    operation: /^DELETE \/(agents|teams|workflows)\/\{\w+\}\/runs\/\{run_id\}$/,
    fact: /^is not recorded$/,
    reason: "A run can be deleted by itself, not only with its session.",
  },
  {
    operation: /./,
    fact: /^\+response 403/,
    reason: "Published error list: 403 for every operation that needs a scope; the recorded file leaves it out.",
  },
  {
    operation:
      /^(POST \/(agents|teams|workflows)\/\{\w+\}\/runs(\/\{run_id\}\/continue)?|GET \/(agents|teams|workflows)\/\{\w+\}|POST \/a2a\/.*message[:/](send|stream))$/,
    fact: /^\+response 502/,
    reason: "A server that executes a remote component may not answer.",
  },
  {
    operation: /^POST \/(agents|teams|workflows)\/\{\w+\}\/runs(\/\{run_id\}\/continue)?$/,
    fact: /^\+body application\/json/,
    reason: "Starts and continues read JSON as resume does.",
  },
  {
    operation: starts,
    fact: /^\+body [\w/-]+\.db_id/,
    reason: "The database that the server of a remote component is to use.",
  },
  {
    operation: starts,
    fact: /^\+body [\w/-]+\.limits/,
    reason: "A start can limit what its run uses.",
  },
  {
    operation: /^POST \/(agents|teams|workflows)\/\{\w+\}\/runs\/\{run_id\}\/messages$/,
    fact: /^is not recorded$/,
    reason: "Messages to live runs, which the reference does not have.",
  },
  {
    operation: starts,
    fact: /^\+body [\w/-]+\.webhooks/,
    reason: "A start can give webhooks for its run.",
  },
  {
    operation: / \/webhooks\/deliveries/,
    fact: /^is not recorded$/,
    reason: "The messages of webhooks, which the reference does not have.",
  },
  {
    operation: /^GET \/(me|overview|runs|definitions)$/,
    fact: /^is not recorded$/,
    reason:
      "What the caller may use, the processes and the queue, the runs of all components, and definitions in code.",
  },
  {
    operation: /^GET \/traces\/stats$/,
    fact: /^is not recorded$/,
    reason: "Durations, failures, tokens and costs by component, user, model and day.",
  },
  {
    operation: /^GET \/usage$/,
    fact: /^is not recorded$/,
    reason: "The use of limits, which the reference does not have.",
  },
  {
    operation: /^POST \/knowledge\/search$/,
    fact: /^\+response 200 application\/json\.warning:/,
    reason: "The warning names what failed when a hybrid search used words only.",
  },
  {
    operation: /^POST \/knowledge\/search$/,
    fact: /^\+response 502/,
    reason: "The embedding model of a search may not answer.",
  },
  {
    operation: /^DELETE \/users\/\{user_id\}\/data$/,
    fact: /^is not recorded$/,
    reason: "The removal of a user's data, which the reference does not have.",
  },
  {
    operation: / \/(memories|memory_topics|user_memory_stats|optimize-memories)/,
    fact: /^\+response (409|413|415|429|502|503)/,
    reason: "A user has a maximum of memories; models and the database may not answer; bodies have a limit.",
  },
  {
    operation: / \/(memories|optimize-memories)/,
    fact: /^\+response 200 application\/json\.(data\[\]\.|memories\[\]\.)?source\b/,
    reason: "Where an agent learned a memory.",
  },
  {
    operation: /^GET \/memories$/,
    fact: /^\+parameter query cursor\b/,
    reason: "A Link header leads from page to page.",
  },
  {
    operation: / \/connections/,
    fact: /^is not recorded$/,
    reason: "Accounts of users at other services, which the reference does not have.",
  },
  {
    operation: / \/components/,
    fact: /^\+response (409|413|415|503)/,
    reason: "A duplicate, a body beyond the limit, and a database that does not respond have answers of their own.",
  },
  {
    operation: / \/components/,
    fact: /^\+response 20\d application\/json(\[\])?\.(data\[\]\.)?(created_by|error)\b/,
    reason: "Who created a component or a version, and why a process cannot use the current version.",
  },
  {
    operation: /^DELETE \/components\/\{component_id\}$/,
    fact: /^\+parameter query force/,
    reason: "A component that versions of other components name is deleted only with force.",
  },
  {
    operation: /^GET \/components\/\{component_id\}\/configs$/,
    fact: /^\+parameter query (limit|before)\b/,
    reason: "A long list of versions comes in pages.",
  },
  {
    operation: /^GET \/components\/\{component_id\}\/configs\/\{version\}$/,
    fact: /^[+-]operationId/,
    reason: "The recorded file gives GET /config the same operation id.",
  },
  {
    operation: / \/components\/(import|\{component_id\}\/(unset-current|export))$/,
    fact: /^is not recorded$/,
    reason:
      "Runs can use the code again without a deletion of the versions; versions go from server to server as files.",
  },
  {
    operation: / \/learnings/,
    fact: /^\+(response (409|413|415|503)|parameter query (cursor|user_id))/,
    reason: "Links to the next page, the user of a learning whose id several users have, and answers of their own.",
  },
  {
    operation: / \/eval-runs/,
    fact: /^\+response (202|409|413|415|429|503)/,
    reason: "An eval that goes on in the background, a bound of a user's unfinished evals, and answers of their own.",
  },
  {
    operation: / \/eval-runs/,
    fact: /^\+response 200 application\/json\.(data\[\]\.)?(status|passed|progress|error)\b/,
    reason: "The state of an eval, and whether the component meets the expectations.",
  },
  {
    operation: /^GET \/eval-runs$/,
    fact: /^\+parameter query cursor\b/,
    reason: "A Link header leads from page to page.",
  },
  {
    operation: /^POST \/eval-runs$/,
    fact: /^\+parameter header Idempotency-Key: null \| string$/,
    reason: "A repeated request creates no second eval.",
  },
  {
    operation: /^POST \/eval-runs$/,
    fact: /^\+body application\/json\.(scorers|background)\b/,
    reason: "Scorers in the place of a judge, and evals in the background.",
  },
  {
    operation: / \/knowledge\//,
    fact: /^\+response (400 |404 |409|413|415|503)/,
    reason: "A document that is being ingested, bodies beyond a limit, and a database that does not respond.",
  },
  {
    operation: / \/knowledge\/(remote-)?content/,
    fact: /^\+response 20\d application\/json\.(data\[\]\.)?(user_id|chunks|tokens|embedded|total)\b/,
    reason: "Whose document it is, what searches find of it, and the progress of its ingestion.",
  },
  {
    operation: /^GET \/knowledge\/content$/,
    fact: /^\+parameter query (status|cursor)/,
    reason: "The list filters by state, and has links to the next page.",
  },
  {
    operation: / \/knowledge\/(remote-)?content/,
    fact: /^[+-]body [\w/-]+(\.|$)/,
    reason: "Documents come as forms of both types or as JSON; the metadata is declared as the object that it is.",
  },
  {
    operation: / \/knowledge(\/content\/\{content_id\}\/(chunks|citations|retry|cancel))?$/,
    fact: /^is not recorded$/,
    reason:
      "The list of knowledge bases, the chunks of a document, the runs that cite it, and the control of its ingestion, which the reference does not have.",
  },
  {
    operation: / \/(feedback$|.*\/feedback$|datasets|experiments)/,
    fact: /^is not recorded$/,
    reason: "Feedback about runs, datasets and experiments, which the reference does not have.",
  },
  {
    operation: / \/trace/,
    fact: /^[+-]tags Traces/,
    reason: "The recorded file lists the tag twice.",
  },
  {
    operation: / \/trace/,
    fact: /^\+response (413|415|503)/,
    reason: "A body that is too large or encoded, and a database that does not respond, have answers of their own.",
  },
  {
    operation: / \/(metrics|databases)/,
    fact: /^\+response (409|503)/,
    reason: "A database that does not respond, or that a newer version migrated, has an answer of its own.",
  },
  {
    operation: /^GET \/(agents|teams|workflows)\/\{\w+\}\/runs\/\{run_id\}\/events$/,
    fact: /^is not recorded$/,
    reason: "The events of a run for callers who may read runs, but not resume them.",
  },
  {
    operation: resumes,
    fact: /^[+-]security/,
    reason: "Published description: no credential or a bearer token, both declared.",
  },
  {
    operation: resumes,
    fact: /^\+parameter header Last-Event-ID: integer \| null$/,
    reason: "Standard clients of server-sent events say by header where they are.",
  },
  {
    operation: starts,
    fact: /^\+parameter header (Idempotency-Key: null \| string|Last-Event-ID: integer \| null)$/,
    reason: "A start can be sent again, and its stream goes on where it broke.",
  },
  {
    operation: starts,
    fact: /^\+response 429/,
    reason: "The queue of background runs has a bound, and so have the streams of one caller.",
  },
  {
    operation: resumes,
    fact: /^\+response 429/,
    reason: "The streams of one caller have a bound.",
  },
  {
    operation: resumes,
    fact: /^\+body (multipart\/form-data|application\/json)/,
    reason: "Both are read, too, as the reference reads them.",
  },
  {
    operation: resumes,
    fact: /^\+body [\w/-]+\.follow: boolean$/,
    reason: "A stream can wait across a pause of its run.",
  },
  {
    operation: starts,
    fact: /^\+body application\/x-www-form-urlencoded/,
    reason: "The reference reads it, and clients without files send it, but the recorded file does not say so.",
  },
  {
    operation: starts,
    fact: /^\+body multipart\/form-data\.(stream_events|session_state|dependencies|metadata|knowledge_filters|output_schema)\b/,
    reason: "Extra fields that the reference reads without declaring them.",
  },
  {
    operation: starts,
    fact: /^\+body multipart\/form-data\.(images|audio|videos|input_files)\b/,
    reason: "Lists of media that the reference reads without declaring them.",
  },
  {
    operation: starts,
    fact: /^\+response 202/,
    reason: "The reference answers 202 to a background start without declaring it.",
  },
  {
    operation:
      /^((GET|POST) \/(agents|teams|workflows)\/\{\w+\}\/(runs|sessions)|\w+ \/sessions|\w+ \/service-accounts)/,
    fact: /^\+response 503/,
    reason: "A database that does not answer, and a server that takes no starts now, have an answer of their own.",
  },
  {
    operation: /^(POST .*\/(runs|resume|rename|continue)|(POST|DELETE|PATCH) \/sessions.*|POST \/service-accounts)$/,
    fact: /^\+response 41[35]/,
    reason: "A body beyond the limit, and one with a content coding, have answers of their own.",
  },
  {
    operation: /^GET \/(agents|teams|workflows)\/\{\w+\}\/runs$/,
    fact: /^[+-]response 200/,
    reason:
      "The recorded file leaves the answer open; ours declares the list elements RunSchema and TeamRunSchema that are sent.",
  },
  {
    operation: /^GET \/(agents|teams|workflows)\/\{\w+\}\/runs$/,
    fact: /^[+-]parameter query (session_id|status)\b/,
    reason: "The session may be left out, and several states may be named.",
  },
  {
    operation: /^GET \/(agents|teams|workflows|sessions)\/\{\w+\}\/runs$/,
    fact: /^\+parameter query (user_id|status|created_after|created_before|limit|cursor|sort_order)\b/,
    reason: "Listings come a page at a time, and can be narrowed down.",
  },
  {
    operation: /^POST (\/workflows\/\{\w+\}\/runs|.*\/continue)$/,
    fact: /^\+body multipart\/form-data/,
    reason: "Workflows take files as agents and teams do; a form of either type is read.",
  },
  {
    operation: /\/continue$/,
    fact: /^\+parameter header (Idempotency-Key: null \| string|Last-Event-ID: integer \| null)$/,
    reason: "A continue can be sent again, and its stream goes on where it broke.",
  },
  {
    operation: /\/continue$/,
    fact: /^\+response 429/,
    reason: "The queue of background runs has a bound, and so have the streams of one caller.",
  },
  {
    operation: /\/(agents|teams)\/.*\/continue$/,
    fact: /^\+response 202/,
    reason: "A continue in the background is answered as a start in the background is.",
  },
  {
    operation: /\/continue$/,
    fact: /^\+response 409/,
    reason: "The recorded file declares the status without the shape of its body.",
  },
  {
    operation: /\/sessions\/.*\/fork$/,
    fact: /^\+response 409/,
    reason: "A session whose runs are being deleted is not copied in part.",
  },
  {
    operation: /^POST \/sessions$/,
    fact: /^\+response 409/,
    reason: "The recorded file declares the status without the shape of its body.",
  },
  {
    operation: / \/service-accounts/,
    fact: /^\+response (400|401|404|409|500)/,
    reason: "The recorded file leaves out every error of these operations but the 422.",
  },
  {
    operation: / \/schedules/,
    fact: /^\+response (400|401|404|409|413|415|500|503)/,
    reason: "The recorded file leaves out every error of these operations but the 422.",
  },
  {
    operation: / \/schedules\/.*\/trigger$/,
    fact: /^\+response 429/,
    reason: "Requests of one caller that wait for a run have a bound.",
  },
  {
    operation: / \/approvals/,
    fact: /^\+response (400|401|404|409|413|415|500|503)/,
    reason: "The recorded file leaves out every error of these operations but the 422.",
  },
  {
    operation: / \/schedules/,
    fact: /(run_at|ends_at|max_fires|overlap|catch_up|jitter_seconds|pause_after_failures|disabled_reason|source|planned_at)\b/,
    reason: "Schedules that are due once or bounded, their policies, and what became of their ticks.",
  },
  {
    operation: /^GET \/(agents|teams|workflows|sessions)\/\{\w+\}\/runs/,
    fact: /^\+response 200 application\/json(\[\])?\.error_(type|id): null \| string$/,
    reason: "Of a run that failed, what its last event tells programs.",
  },
  {
    operation: /^GET \/info$/,
    fact: /^\+response 200 application\/json\.troupe_version: string$/,
    reason: "Our own version beside the interface's.",
  },
  {
    operation: a2a,
    fact: /^([+-]security|\+(parameter header|body))/,
    reason:
      "The published description shows the token, the body and the header X-User-ID, which the recorded file leaves out.",
  },
  {
    operation: a2a,
    fact: /^\+response (202|401|409|413|415|429|500|503)/,
    reason: "Published error list, a task that is not at rest, limits, and an answer that nobody waits for.",
  },
  {
    operation: a2a,
    fact: /^\+response (400|404) application/,
    reason: "The recorded file declares these without the shape of their body, or not at all.",
  },
  {
    operation: a2a,
    fact: /^\+response (400|404|422)(?= |$)/,
    reason:
      "A task that is not there, a field that is missing, and a body that breaks the schema have an answer of their own.",
  },
];
