/** Claims about runs from the credential that created a service account, as JSON. Earlier accounts have none. */
export const accountClaimsPostgres: string = `
alter table service_accounts add column claims text;
`;
