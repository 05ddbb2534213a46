import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Mood = 'well' | 'failing' | 'hanging';

export type Sinks = Awaited<ReturnType<typeof startSinks>>;

/** Starts the push service and the mail catcher of a run, which record what they receive, and can be made to fail or hang. */
export async function startSinks() {
  let mood: Mood = 'well';
  /** For each path of a device, the number of pushes by topic, which the push service tells apart. */
  const pushes = new Map<string, Map<string, number>>();
  const mails = new Map<string, number>();
  const hanging = new Set<ServerResponse>();
  const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1);

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    if (mood === 'hanging') return void hanging.add(response);
    if (mood === 'failing') return void response.writeHead(500).end();
    const path = request.url ?? '';
    if (path === '/api/v1/send') {
      const { Text, To } = JSON.parse(Buffer.concat(chunks).toString()) as { Text: string; To: { Email: string }[] };
      const chain = /\/messages\/(\d+)/.exec(Text)?.[1];
      count(mails, `${To[0]?.Email} ${chain}`);
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"ID":"mail"}');
    }
    const device = pushes.get(path) ?? new Map<string, number>();
    pushes.set(path, device);
    count(device, String(request.headers.topic));
    response.writeHead(201).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    pushes,
    mails,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    feel(next: Mood) {
      mood = next;
      if (next === 'hanging') return;
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
