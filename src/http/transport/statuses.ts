/** Error statuses that routes declare. */

/** Errors of every operation, except operations that need no authorization. */
export const usualErrors: readonly number[] = [400, 401, 403, 404, 422, 500];

/** Errors of operations that use the database. */
export const storedErrors: readonly number[] = [...usualErrors, 503];

/** Errors of operations that use the database and read a form or a JSON body. */
export const bodyErrors: readonly number[] = [...storedErrors, 413, 415];
