/** Lets listings read rows without their large values, on Postgres: `brief` is an input or a message without its media bytes. */
export const briefRowsPostgres: string = `
alter table runs add column brief text;
alter table messages add column brief text;

-- Inside a JSON text the quotes of a string are escaped, so that the pattern finds members only.
update runs set brief = regexp_replace(input, '"data":"[^"]*"', '"data":""', 'g')
  where octet_length(input) > 16384 and input like '%"media":[%';
update messages set brief = regexp_replace(body, '"data":"[^"]*"', '"data":""', 'g')
  where octet_length(body) > 16384 and body like '{"role":"user"%"media":[%';
`;
