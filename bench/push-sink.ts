import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const TOPIC_LENGTH = 32;

/** A push service that takes everything at once, and notes when what arrived. */
export interface PushSink {
  url: string;
  /** Resolves with the moment (of `performance.now`) at which a message's push was there. */
  arrived(messageId: number): Promise<number>;
  /** Resolves with the moments of the next `count` arrivals, in their order; call it before what causes them. */
  next(count: number): Promise<number[]>;
  close(): void;
}

export async function startPushSink(): Promise<PushSink> {
  const moments = new Map<string, number>();
  const waiting = new Map<string, (moment: number) => void>();
  const counting: { left: number; moments: number[]; done: () => void }[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const moment = performance.now();
      response.writeHead(201).end();
      const topic = String(request.headers.topic);
      moments.set(topic, moment);
      waiting.get(topic)?.(moment);
      for (const count of counting) if (count.moments.push(moment) === count.left) count.done();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async arrived(messageId) {
      const topic = createHash('sha256').update(`message-${messageId}`).digest('base64url').slice(0, TOPIC_LENGTH);
      return moments.get(topic) ?? new Promise((done) => waiting.set(topic, done));
    },
    next(left) {
      return new Promise((resolve) => {
        const count = { left, moments: [] as number[], done: () => resolve(count.moments.slice(0, left)) };
        counting.push(count);
      });
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
