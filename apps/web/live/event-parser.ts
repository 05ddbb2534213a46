/** One server-sent event. A stream resumes after its `id`. */
export interface ServerEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/**
 * Parses a stream of server-sent events (HTML, 9.2.6) in pieces: each call takes the text that has arrived and returns the
 * events that are complete. Comments, which only keep the connection open, and fields that we do not use are skipped.
 * @param onRetry is called with the milliseconds after which the stream, when it ends, should be opened again
 */
export function eventParser(onRetry: (ms: number) => void = () => {}): (text: string) => ServerEvent[] {
  let waiting = '';
  return (text) => {
    // A carriage return at the end may be the first half of a line end.
    const whole = (waiting + text).replace(/\r\n/g, '\n');
    const blocks = whole.split('\n\n');
    waiting = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, ms] = /^retry: ?(\d{1,6})$/m.exec(block) ?? [];
      if (ms !== undefined) onRetry(Number(ms));
    }
    return blocks.map(readBlock).filter((event) => event.data !== '');
  };
}

function readBlock(block: string): ServerEvent {
  const event: ServerEvent = { event: 'message', id: undefined, data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event.event = value;
    if (field === 'id') event.id = value;
    if (field === 'data') data.push(value);
  }
  return { ...event, data: data.join('\n') };
}
