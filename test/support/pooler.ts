import { randomInt } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

interface Server {
  socket: Socket;
  client: Client | null;
  /** The names of statements that this connection has, or is about to have. */
  prepared: Set<string>;
  /** Statements whose preparing or closing has not been answered yet, and whether the client waits for the answer. */
  expected: { name: string; isForwarded: boolean }[];
}
interface Client {
  socket: Socket;
  server: Server | null;
  last: Server | null;
  waiting: Buffer[];
  /** The statements that it prepared, by its own names. */
  statements: Map<string, Statement>;
}
interface Statement {
  /** The name on every server connection. */
  name: string;
  /** The text and the types of its parameters. */
  body: Buffer;
}

/**
 * A pooler in transaction mode between clients and a database, as strict as PgBouncer: each transaction runs on another server
 * connection than the client's previous one, so that session state is always lost; startup options are rejected (or dropped),
 * and notifications for LISTEN are dropped. Named statements are passed on, as before 1.21; or `tracks()` says that they are
 * tracked, as with `max_prepared_statements`, which can change while clients are connected.
 * @returns the database's address through the pooler.
 */
export async function startPooler(
  databaseUrl: string,
  { refusesOptions = true, tracks = () => false }: { refusesOptions?: boolean; tracks?: (() => boolean) | undefined } = {},
): Promise<string> {
  const target = new URL(databaseUrl);
  const free: Server[] = [];
  const queue: Client[] = [];
  const sockets = new Set<Socket>();
  const names = new Map<string, string>();
  const send = (client: Client, server: Server, frame: Buffer) =>
    tracks() ? sendTracked(client, server, frame, names) : void server.socket.write(frame);
  const watch = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };

  const assign = () => {
    while (queue.length > 0) {
      const client = queue[0] as Client;
      const another = free.findIndex((server) => server !== client.last);
      const [server] = free.splice(Math.max(another, 0), 1);
      if (server === undefined) return;
      queue.shift();
      server.client = client;
      client.server = server;
      client.last = server;
      for (const frame of client.waiting.splice(0)) send(client, server, frame);
    }
  };
  const fromClient = (client: Client, frame: Buffer) => {
    if (frame[0] === 'X'.charCodeAt(0)) return void client.socket.end();
    if (client.server !== null) return send(client, client.server, frame);
    client.waiting.push(frame);
    if (!queue.includes(client)) queue.push(client);
    assign();
  };
  const fromServer = (server: Server, frame: Buffer) => {
    const { client } = server;
    const isOver = frame[0] === 'Z'.charCodeAt(0) && frame[5] === 'I'.charCodeAt(0);
    if (isOver) {
      if (client !== null) client.server = null;
      server.client = null;
      free.push(server);
    }
    if (frame[0] !== 'A'.charCodeAt(0) && isForClient(server, frame)) client?.socket.write(disguised(frame));
    if (isOver) assign();
  };
  /** Every client signs in on a new server connection, which all clients share afterwards. */
  const begin = (client: Client, startup: Buffer) => {
    const socket = watch(connect({ port: Number(target.port), host: target.hostname, noDelay: true }));
    const server: Server = { socket, client, prepared: new Set(), expected: [] };
    client.server = server;
    client.last = server;
    socket.write(startup);
    readFrames(socket, (frame) => fromServer(server, frame));
    socket.on('close', () => {
      if (free.includes(server)) free.splice(free.indexOf(server), 1);
      server.client?.socket.destroy();
    });
  };

  const listener = createServer({ noDelay: true }, (socket) => {
    watch(socket);
    const client: Client = { socket, server: null, last: null, waiting: [], statements: new Map() };
    readStartup(socket, (startup) => {
      if (startup.includes('options\0') && refusesOptions) return void socket.end(refusal());
      begin(client, withoutOptions(startup));
      readFrames(socket, (frame) => fromClient(client, frame));
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  after(() => {
    listener.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = listener.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' ? address?.port : '');
  return url.href;
}

/**
 * Gives a named statement one name on all server connections, and prepares it where it is missing, before it is used.
 * @param names the names on server connections, by text and types
 */
function sendTracked(client: Client, server: Server, frame: Buffer, names: Map<string, string>): void {
  const type = String.fromCharCode(frame[0] ?? 0);
  const expect = (name: string, isForwarded: boolean) => server.expected.push({ name, isForwarded });
  const prepare = ({ name, body }: Statement, isForwarded: boolean) => {
    expect(name, isForwarded);
    server.prepared.add(name);
    server.socket.write(message('P', Buffer.from(`${name}\0`), body));
  };
  const [before, name, after] = splitAtName(type, frame);
  if (name === '') {
    if (type === 'P') expect('', true);
    return void server.socket.write(frame);
  }
  if (type === 'P') {
    const body = Buffer.from(after);
    const text = body.toString('latin1');
    const statement = { name: names.get(text) ?? `POOLER_${names.size + 1}`, body };
    names.set(text, statement.name);
    client.statements.set(name, statement);
    if (server.prepared.has(statement.name)) {
      // The client waits for an answer, so the statement is replaced.
      expect(statement.name, false);
      server.socket.write(message('C', Buffer.from(`S${statement.name}\0`)));
    }
    prepare(statement, true);
    return;
  }
  const statement = client.statements.get(name);
  if (statement === undefined) return void client.socket.destroy();
  if (!server.prepared.has(statement.name)) prepare(statement, false);
  server.socket.write(message(type, before, Buffer.from(`${statement.name}\0`), after));
}

/** Splits the body of a message around the name of its statement, which is empty if it has none. */
function splitAtName(type: string, frame: Buffer): [before: Buffer, name: string, after: Buffer] {
  const body = frame.subarray(5);
  const isNamed = type === 'P' || type === 'B' || (type === 'D' && body[0] === 'S'.charCodeAt(0));
  if (!isNamed) return [body, '', body];
  // A Bind begins with the name of its portal, and a Describe with one letter.
  const start = type === 'P' ? 0 : type === 'B' ? body.indexOf(0) + 1 : 1;
  const end = body.indexOf(0, start);
  return [body.subarray(0, start), body.subarray(start, end).toString('utf8'), body.subarray(end + 1)];
}

function message(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** False for the answer to something that the pooler sent by itself. */
function isForClient(server: Server, frame: Buffer): boolean {
  const type = String.fromCharCode(frame[0] ?? 0);
  if (type === '1' || type === '3') {
    const [answered] = server.expected.splice(0, 1);
    return answered?.isForwarded !== false;
  }
  // The server skips everything after an error.
  if (type === 'E') for (const { name } of server.expected.splice(0)) server.prepared.delete(name);
  return true;
}

/** The first packet has no type. TLS is declined, and a request to cancel is ignored. */
function readStartup(socket: Socket, onStartup: (packet: Buffer) => void): void {
  socket.once('data', (packet: Buffer) => {
    const code = packet.readInt32BE(4);
    if (code === CANCEL_REQUEST) return void socket.end();
    if (code !== SSL_REQUEST) return onStartup(packet);
    socket.write('N');
    readStartup(socket, onStartup);
  });
}

/** Reads messages of PostgreSQL's protocol: a type, the length of the rest, and the rest. */
function readFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      onFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  });
}

/** Replaces the cancel key, as a pooler does. */
function disguised(frame: Buffer): Buffer {
  if (frame[0] !== 'K'.charCodeAt(0)) return frame;
  const copy = Buffer.from(frame);
  copy.writeInt32BE(randomInt(1, 2 ** 31 - 1), 5);
  return copy;
}

function withoutOptions(startup: Buffer): Buffer {
  const words = startup.subarray(8, -1).toString('utf8').split('\0').slice(0, -1);
  const at = words.findIndex((word, index) => index % 2 === 0 && word === 'options');
  if (at >= 0) words.splice(at, 2);
  const body = Buffer.from(`${words.map((word) => `${word}\0`).join('')}\0`);
  const head = Buffer.from(startup.subarray(0, 8));
  head.writeInt32BE(head.length + body.length, 0);
  return Buffer.concat([head, body]);
}

function refusal(): Buffer {
  return message('E', Buffer.from('SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0'));
}
