/** Statuses of errors that routes declare. */

/** Of every operation beside those that need no authorization. */
export const usualErrors: readonly number[] = [400, 401, 403, 404, 422, 500];

/** Of operations that need the database. */
export const storedErrors: readonly number[] = [...usualErrors, 503];

/** Of operations that need the database and read a form or a JSON body. */
export const bodyErrors: readonly number[] = [...storedErrors, 413, 415];
