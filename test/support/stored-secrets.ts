import type pg from 'pg';

/** The length of the pieces at the start, middle, and end of a long secret; a column may contain only a part of it. */
const PIECE_BYTES = 12;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Column {
  place: string;
  /** All values of the column, concatenated. */
  bytes: Buffer;
  isBinary: boolean;
}

/**
 * Lists the columns of the whole database, including the queue, that contain a secret or a piece of it: as text, in hex or
 * base64, or as the bytes that it encodes. Bytes are compared, because PostgreSQL prints `bytea` as hex.
 * @returns `table.column: name of the secret`
 */
export async function findStoredSecrets(pool: pg.Pool, secrets: Record<string, string>): Promise<string[]> {
  const columns = await readColumns(pool);
  return columns.flatMap(({ place, bytes, isBinary }) =>
    Object.entries(secrets)
      .filter(([, secret]) => holds(bytes, secret, isBinary))
      .map(([name]) => `${place}: ${name}`),
  );
}

function holds(bytes: Buffer, secret: string, isBinary: boolean): boolean {
  if (secret.length < 4) throw new Error(`too short to search for: ${secret}`);
  // Most long numbers contain the six digits of a code by chance.
  if (/^\d{1,9}$/.test(secret) && !isBinary)
    return new RegExp(`(?<![0-9A-Za-z])${secret}(?![0-9A-Za-z])`).test(bytes.toString('latin1'));
  return formsOf(secret).some((form) => piecesOf(form).some((piece) => bytes.includes(piece)));
}

function formsOf(secret: string): Buffer[] {
  const own = Buffer.from(secret);
  const forms = [own, Buffer.from(secret.toLowerCase()), Buffer.from(secret.replaceAll(/[^0-9A-Za-z]/g, ''))];
  if (secret.length >= 10) forms.push(...(['hex', 'base64', 'base64url'] as const).map((way) => Buffer.from(own.toString(way))));
  // The bytes that the secret encodes, if it is long enough to be random bytes, and their hex digits.
  if (secret.length >= 32)
    for (const text of [secret, secret.split('_').at(-1) ?? '']) {
      const encoded = Buffer.from(text, 'base64url');
      forms.push(encoded, Buffer.from(encoded.toString('hex')));
    }
  return forms.filter(({ length }) => length >= 4);
}

function piecesOf(form: Buffer): Buffer[] {
  if (form.length < 2 * PIECE_BYTES) return [form];
  const starts = [0, Math.floor((form.length - PIECE_BYTES) / 2), form.length - PIECE_BYTES];
  return starts.map((start) => form.subarray(start, start + PIECE_BYTES));
}

async function readColumns(pool: pg.Pool): Promise<Column[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'graphile_worker') and c.relkind in ('r', 'p') order by 1`,
  );
  const columns: Column[] = [];
  for (const { name } of tables) {
    const { rows, fields } = await pool.query<Record<string, unknown>>(`select * from ${name}`);
    for (const { name: column } of fields) {
      const values = rows.map((row) => row[column]).filter((value) => value !== null);
      const isBinary = values.some((value) => Buffer.isBuffer(value));
      const bytes = Buffer.concat(values.flatMap((value) => [bytesOf(value), Buffer.from('\n')]));
      if (bytes.length > 0) columns.push({ place: `${name.replace(/^public\./, '')}.${column}`, bytes, isBinary });
    }
  }
  return columns;
}

function bytesOf(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return Buffer.from(value.toISOString());
  // A UUID is compared by its digits.
  if (typeof value === 'string' && UUID.test(value)) return Buffer.from(value.replaceAll('-', ''));
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
}
