import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/**
 * A push service of one's own for Firefox: it speaks the browser's WebSocket protocol (hello, register, notification,
 * unregister) and takes encrypted messages at the addresses that it gave out; 410 where nobody is subscribed any more.
 * @returns {Promise<{ port: number, taken: Buffer[], close: () => void }>} `taken`: the bodies that were passed on
 */
export async function startPushServer() {
  /** @type {Map<string, string>} path of an endpoint -> channel */
  const channels = new Map();
  /** @type {Buffer[]} */
  const taken = [];
  /** @type {((message: object) => void) | null} */
  let tell = null;
  let port = 0;

  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const channelID = channels.get(request.url ?? '');
    if (channelID === undefined || tell === null) return response.writeHead(410).end();
    const body = Buffer.concat(chunks);
    taken.push(body);
    const headers = { encoding: request.headers['content-encoding'] };
    tell({ messageType: 'notification', channelID, version: randomUUID(), data: body.toString('base64url'), headers });
    response.writeHead(201).end();
  });
  server.on('upgrade', (request, socket) => {
    const { 'sec-websocket-key': key, 'sec-websocket-protocol': protocol } = request.headers;
    socket.write(handshake(String(key), protocol));
    tell = (message) => socket.write(frame(JSON.stringify(message)));
    socket.on('error', () => {});
    readFrames(socket, (text) => {
      const { messageType, channelID } = JSON.parse(text);
      if (messageType === 'hello') tell?.({ messageType, status: 200, uaid: randomUUID(), use_webpush: true });
      if (messageType === 'register') {
        const path = `/push/${randomUUID()}`;
        channels.set(path, channelID);
        tell?.({ messageType, status: 200, channelID, pushEndpoint: `http://127.0.0.1:${port}${path}` });
      }
      if (messageType === 'unregister') {
        for (const [path, channel] of channels) if (channel === channelID) channels.delete(path);
        tell?.({ messageType, status: 200, channelID });
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const address = server.address();
  if (typeof address === 'object' && address !== null) port = address.port;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, taken, close };
}

/**
 * @param {string} key
 * @param {string | undefined} protocol
 */
function handshake(key, protocol) {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  lines.push(`Sec-WebSocket-Accept: ${accept}`);
  if (protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** One text frame (RFC 6455, 5.2) of at most 65,535 bytes. @param {string} text */
function frame(text) {
  const body = Buffer.from(text);
  const head = body.length < 126 ? [0x81, body.length] : [0x81, 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}

/**
 * Reads the masked text frames of a browser, which are all short here.
 * @param {import('node:stream').Duplex} socket
 * @param {(text: string) => void} onText
 */
function readFrames(socket, onText) {
  let rest = Buffer.alloc(0);
  socket.on('data', (/** @type {Buffer} */ chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 8) return;
      const short = rest.readUInt8(1) & 127;
      const start = short === 126 ? 8 : 6;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < start + length) return;
      const mask = rest.subarray(start - 4, start);
      const body = rest.subarray(start, start + length).map((byte, at) => byte ^ (mask[at & 3] ?? 0));
      if ((rest.readUInt8(0) & 15) === 1) onText(Buffer.from(body).toString());
      rest = rest.subarray(start + length);
    }
  });
}
