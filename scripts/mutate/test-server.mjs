const TEMPLATE = 'case_platform_template';

/**
 * Changes the template database of the tests as the schema's owner.
 * @param {string} serverUrl
 * @param {string} sql
 */
export function changeTemplate(serverUrl, sql) {
  return onDatabase(serverUrl, TEMPLATE, (client) => client.query(sql));
}

/**
 * Removes the databases of tests that were ended before they could do so themselves.
 * @param {string} serverUrl
 */
export function dropLeftOver(serverUrl) {
  return onDatabase(serverUrl, 'postgres', async (client) => {
    const { rows } = await client.query(`select datname from pg_database where datname like 'test\\_%'`);
    for (const { datname } of rows) await client.query(`drop database if exists "${datname}" with (force)`);
  });
}

/**
 * @param {string} serverUrl
 * @param {string} name
 * @param {(client: import('pg').Client) => Promise<unknown>} work
 */
async function onDatabase(serverUrl, name, work) {
  // Imported only now: it may have been installed a moment ago.
  const { default: pg } = await import('pg');
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
