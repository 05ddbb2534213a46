/** The part of autocannon that the benchmark uses; the package brings no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface LoadRequest {
    method: 'GET' | 'POST';
    path: string;
    headers: Record<string, string>;
    body?: string | Buffer;
  }
  interface Client {
    setRequests(requests: LoadRequest[]): void;
  }
  interface Options {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds between looks at whether the time is over. */
    sampleInt: number;
    /** Seconds until a request counts as an error. */
    timeout: number;
    requests: LoadRequest[];
    setupClient: (client: Client) => void;
  }
  export interface Result {
    non2xx: number;
    errors: number;
  }
  interface Run extends EventEmitter, PromiseLike<Result> {
    stop(): void;
    /** `ms` is the response's time in milliseconds, with fractions. */
    on(event: 'response', listener: (client: Client, status: number, bytes: number, ms: number) => void): this;
  }
  export default function autocannon(options: Options): Run;
}
