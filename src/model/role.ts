export const roles = ["api", "worker", "all"] as const;

/** What a process does: `api` leaves background runs to others, `worker` executes what waits and takes no starts, `all` does everything. */
export type Role = (typeof roles)[number];
