/** What the credential of a service account's maker says about runs, as JSON. Accounts from before have nothing. */
export const accountClaimsSqlite: string = `
alter table service_accounts add column claims text;
`;
