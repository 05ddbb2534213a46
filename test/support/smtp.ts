import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/** An SMTP server that takes everything, except for those whom it refuses, and writes down what it took. */
export async function startSmtp(): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((socket) => talk(socket, received));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function talk(socket: Socket, received: string[]): void {
  let inData = false;
  socket.write('220 ready\r\n');
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    const text = chunk.toString();
    if (inData) {
      received.push(text);
      if (!text.endsWith('\r\n.\r\n')) return;
      inData = false;
      socket.write('250 taken\r\n');
      return;
    }
    for (const line of text.split('\r\n').filter(Boolean)) {
      const word = line.split(/[ :]/)[0]?.toUpperCase();
      inData ||= word === 'DATA';
      if (word === 'QUIT') socket.end('221 bye\r\n');
      else if (word === 'DATA') socket.write('354 go on\r\n');
      else socket.write(line.includes('refused@') ? '550 no such user\r\n' : '250 ok\r\n');
    }
  });
}
