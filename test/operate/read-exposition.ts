import assert from 'node:assert/strict';

export interface Scraped {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: (\d+))?$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const TYPES = ['counter', 'gauge', 'histogram', 'summary', 'untyped'];

/** Reads Prometheus's text format (version 0.0.4), and fails on anything else. */
export function readExposition(text: string): Scraped[] {
  assert.ok(text.endsWith('\n'), 'the last line ends, too');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  const samples: Scraped[] = [];
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? [];
    if (word !== undefined) assert.match(name, NAME, line);
    if (word === 'TYPE') {
      assert.ok(TYPES.includes(rest) && !types.has(name), line);
      types.set(name, rest);
    }
    if (line.startsWith('#')) continue;
    const sample = readSample(line);
    const family = sample.name.replace(/_(bucket|sum|count)$/, '');
    assert.ok(types.has(sample.name) || ['histogram', 'summary'].includes(types.get(family) ?? ''), line);
    const series = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).sort())}`;
    assert.ok(!seen.has(series), `twice: ${line}`);
    seen.add(series);
    samples.push(sample);
  }
  return samples;
}

function readSample(line: string): Scraped {
  const [, name, inBraces = '', number = ''] = SAMPLE.exec(line) ?? assert.fail(`no sample: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inBraces.length) {
    const [, label = '', value = ''] = LABEL.exec(inBraces) ?? assert.fail(`no labels: ${line}`);
    assert.ok(!(label in labels), line);
    labels[label] = value.replaceAll(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped));
  }
  const value = { '+Inf': Number.POSITIVE_INFINITY, '-Inf': Number.NEGATIVE_INFINITY }[number] ?? Number(number);
  assert.ok(!Number.isNaN(value) || /^nan$/i.test(number), line);
  return { name: name ?? '', labels, value };
}
