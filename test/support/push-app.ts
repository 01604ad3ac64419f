/** The fault app, with push notifications and webhooks of runs to local addresses allowed. */
import { definePlatform } from "troupe";
import faults from "./fault-app.ts";

const { agents, teams, settings } = faults;
const local = { allowHttp: true, allowPrivate: true };

export default definePlatform({
  ...{ id: "faults", settings, agents, teams },
  a2a: { pushNotifications: local },
  runWebhooks: local,
});
