import pg from 'pg';

/**
 * Loaded before the API's own code, in a process that is not measured. Records every statement that the API sends to the
 * database, and the floor runs these, so that it always does the same work as the API.
 */

export interface Statement {
  text: string;
  values: unknown[];
}

type Query = (...args: unknown[]) => unknown;

let statements: Statement[] = [];
const client = pg.Client.prototype as unknown as { query: Query };
const send = client.query;

client.query = function query(...args: unknown[]): unknown {
  const [first, second] = args;
  const { text, values } = (typeof first === 'string' ? { text: first, values: second } : first) as Partial<Statement>;
  // The live updates check their connection, the publisher looks into the outbox, and calls of half a second are counted
  // together, all on their own and not for a request.
  const isOfRequest =
    text !== undefined && text !== 'select 1' && !text.startsWith('listen') && !/ (publish-outbox|call-counter)\W/.test(text);
  if (isOfRequest) statements.push({ text, values: Array.isArray(values) ? values : [] });
  return send.apply(this, args);
};

process.on('message', (message) => {
  if (message !== 'statements') return;
  process.send?.({ answer: 'statements', value: statements });
  statements = [];
});
