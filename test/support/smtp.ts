import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after } from 'node:test';

/** Starts an SMTP server that records what it accepts. It accepts everything except mail to `refused-550@`, with any code. */
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
  let input = '';
  socket.write('220 ready\r\n');
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (text) => {
    // Text arrives in arbitrary pieces, and the end of a mail can be split, too.
    input += text;
    if (!input.endsWith(inData ? '\r\n.\r\n' : '\r\n')) return;
    const whole = input;
    input = '';
    if (inData) {
      received.push(whole);
      inData = false;
      socket.write('250 taken\r\n');
      return;
    }
    for (const line of whole.split('\r\n').filter(Boolean)) {
      const word = line.split(/[ :]/)[0]?.toUpperCase();
      inData ||= word === 'DATA';
      if (word === 'QUIT') socket.end('221 bye\r\n');
      else if (word === 'DATA') socket.write('354 go on\r\n');
      else socket.write(`${/refused-(\d{3})@/.exec(line)?.[1] ?? '250'} ok\r\n`);
    }
  });
}
