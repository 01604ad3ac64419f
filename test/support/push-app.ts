/** The fault app, whose clients may be told of tasks at addresses of this machine. */
import { definePlatform } from "troupe";
import faults from "./fault-app.ts";

const { agents, teams, settings } = faults;
const pushNotifications = { allowHttp: true, allowPrivate: true };

export default definePlatform({ id: "faults", settings, agents, teams, a2a: { pushNotifications } });
