import fc from 'fast-check';

/** A form whose parts, boundary, or end may break every rule of RFC 2046 and RFC 7578. */
export interface HostileForm {
  contentType: string;
  bytes: Buffer;
  /** The position at which the form is split into two pieces for sending. */
  cut: number;
  /** True when the sender disconnects before the announced length. */
  isCutShort: boolean;
}

interface FieldNames {
  /** The name of the field with a file. */
  file: string;
  others: readonly string[];
}

const BOUNDARIES = ['x', '"x"', '-', '--', ...[70, 71, 252, 253, 257, 9000].map((length) => 'x'.repeat(length)), '', '""'];
const ENDS = ['--', '', '-', '\r\n', '--\r\nmore'];
const LARGE_FORM_BYTES = 2 * 1024 * 1024;

/** The header of a part with a file. */
export function fileHeader(name: string): string {
  return `content-disposition: form-data; name="${name}"; filename="a.txt"\r\ncontent-type: text/plain`;
}

function hostileHeader({ file, others }: FieldNames): fc.Arbitrary<string> {
  const names = [...others, file, 'x'.repeat(5000), ''];
  const fileNames = ["filename*=utf-8''%ff", "filename*=odd''a", 'filename="a\r\n b"', 'filename=', 'filename="\\"'];
  const lines = ['content-type: text/plain; charset=odd', 'content-type: multipart/mixed; boundary=y', ':', 'a', '\0: b'];
  return fc.oneof(
    fc.constant(fileHeader(file)),
    fc.constantFrom(...names).map((name) => `content-disposition: form-data; name="${name}"`),
    fc.constantFrom(...fileNames).map((name) => `content-disposition: form-data; name=${file}; ${name}`),
    fc
      .constantFrom(...lines)
      .map((line) => `content-disposition: form-data; name=${others[0]}\r\n${line}\r\ncontent-transfer-encoding: base64`),
    fc.string({ maxLength: 60 }),
  );
}

/**
 * Creates forms of any parts in any order.
 * @param beginning the header and content of parts that come first in some of the forms, so that the parts after them are read.
 */
export function hostileForms(
  names: FieldNames,
  beginning: readonly [header: string, content: string][] = [],
): fc.Arbitrary<HostileForm> {
  const texts = ['\r\n--x', '\r\n--', '--y\r\n\r\n\r\n--y--', '[{}]', '\0'.repeat(70_000)];
  const content = fc.oneof(fc.string(), fc.constantFrom(...texts));
  return fc
    .record({
      boundary: fc.constantFrom(...BOUNDARIES),
      begins: fc.boolean(),
      parts: fc.array(fc.tuple(hostileHeader(names), content), { maxLength: 45 }),
      end: fc.constantFrom(...ENDS),
      cutAt: fc.nat(100),
      isCutShort: fc.boolean(),
    })
    .map(({ boundary, begins, parts, end, cutAt, isCutShort }) => {
      const name = boundary.replaceAll('"', '');
      const all = begins ? [...beginning, ...parts] : parts;
      const text = all.map(([head, body]) => `--${name}\r\n${head}\r\n\r\n${body}\r\n`).join('');
      const bytes = Buffer.from(`${text}--${name}${end}`);
      const cut = Math.floor((bytes.length * cutAt) / 100);
      return { contentType: `multipart/form-data; boundary=${boundary}`, bytes, cut, isCutShort };
    });
}

/** Forms of two megabytes with the boundary `x`, each made to cost its reader as much time or memory as possible. */
export function largeForms({ file, others }: FieldNames): Record<string, Buffer> {
  const filled = (begin: string, text: string) =>
    Buffer.from(begin + text.repeat(Math.ceil(LARGE_FORM_BYTES / text.length)), 'latin1');
  return {
    'near boundaries in a file': filled(`--x\r\n${fileHeader(file)}\r\n\r\n`, '\r\n--'),
    'tiny parts': filled('', '--x\r\n\r\n\r\n'),
    'tiny named parts': filled('', '--x\r\ncontent-disposition: form-data; name=q\r\n\r\n\r\n'),
    'an endless field name': filled('--x\r\ncontent-disposition: form-data; name="', 'a'),
    'endless header lines': filled('--x\r\n', 'a: b\r\n'),
    'an endless header line': filled('--x\r\ncontent-type: ', 'a;'),
    'bare boundaries': filled('', '\r\n--x'),
    'no boundary': filled('', '-'),
    'an endless field': filled(`--x\r\ncontent-disposition: form-data; name="${others[0]}"\r\n\r\n`, 'a'),
    'much after the end': filled('--x--\r\n', 'x'),
  };
}
