/** One server-sent event. `id` is where to go on from after it. */
export interface ServerEvent {
  event: string;
  id: string | undefined;
  data: string;
}

/**
 * Reads a stream of server-sent events (HTML, 9.2.6) piece by piece: give it text as it comes, get the events that are
 * whole. Comments, which keep the connection, and fields that we do not use are left out.
 */
export function eventParser(): (text: string) => ServerEvent[] {
  let waiting = '';
  return (text) => {
    // A carriage return at the very end may be half of a line end.
    const whole = (waiting + text).replace(/\r\n/g, '\n');
    const blocks = whole.split('\n\n');
    waiting = blocks.pop() ?? '';
    return blocks.map(readBlock).filter((found) => found.data !== '');
  };
}

function readBlock(block: string): ServerEvent {
  const found: ServerEvent = { event: 'message', id: undefined, data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') found.event = value;
    if (field === 'id') found.id = value;
    if (field === 'data') data.push(value);
  }
  return { ...found, data: data.join('\n') };
}
