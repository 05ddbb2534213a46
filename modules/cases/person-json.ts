/** Somebody as lists show them, `{user_type, user_id, name}`: an expression on an alias of `user_account`; null for nobody. */
export function personJson(alias: string): string {
  return `case when ${alias}.id is not null then json_build_object(
    'user_type', ${alias}.user_type, 'user_id', ${alias}.id,
    'name', coalesce(nullif(trim(${alias}.first_name || ' ' || ${alias}.last_name), ''), ${alias}.email_address)) end`;
}
