import pg from 'pg';

/**
 * Loaded before the API's own code, in a process that is not measured: hands over every statement that the API sends to
 * the database. The floor runs these, so that it cannot drift from what the API does.
 */

export interface Statement {
  text: string;
  values: unknown[];
}

type Query = (...args: unknown[]) => unknown;

let recorded: Statement[] = [];
const client = pg.Client.prototype as unknown as { query: Query };
const send = client.query;

client.query = function query(...args: unknown[]): unknown {
  const [first, second] = args;
  const config = (typeof first === 'string' ? { text: first, values: second } : first) as Partial<Statement>;
  const values = Array.isArray(config.values) ? config.values : [];
  // Not asked for by a request: the live updates look whether their connection still stands.
  const ofRequest = config.text !== undefined && config.text !== 'select 1' && !config.text.startsWith('listen');
  if (ofRequest) recorded.push({ text: config.text ?? '', values });
  return send.apply(this, args);
};

process.on('message', (message) => {
  if (message !== 'statements') return;
  process.send?.({ answer: 'statements', value: recorded });
  recorded = [];
});
