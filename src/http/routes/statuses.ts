/** Statuses of errors that routes declare. */

/** Of every operation beside those that need no authorization. */
export const usualErrors: readonly number[] = [400, 401, 403, 404, 422, 500];

/** Of operations that start something. */
export const startErrors: readonly number[] = [...usualErrors, 413, 503];
