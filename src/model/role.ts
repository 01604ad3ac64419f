export const roles = ["api", "worker", "all"] as const;

/**
 * The role of a process: `api` leaves background runs to other processes, `worker` executes waiting runs and accepts no starts, `all` does
 * both.
 */
export type Role = (typeof roles)[number];
