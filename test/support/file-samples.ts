import { crc32, deflateRawSync } from 'node:zlib';

export const OPEN_XML_TYPES = {
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
  docm: 'application/vnd.ms-word.document.macroEnabled.main+xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml',
} as const;

/** Small files of every accepted type, made here so that the repository needs no binary files for tests. */
export const SAMPLES = {
  pdf: Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n'),
  jpg: Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(64, 7)]),
  png: Buffer.from(
    '89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082',
    'hex',
  ),
  gif: Buffer.from(
    '47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002014400 3b'.replace(' ', ''),
    'hex',
  ),
  webp: Buffer.concat([Buffer.from('RIFF\x24\x00\x00\x00WEBPVP8 ', 'latin1'), Buffer.alloc(24)]),
  heic: Buffer.concat([Buffer.from('\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic', 'latin1'), Buffer.alloc(64)]),
  txt: Buffer.from('Liebe Grüße — 你好\n'),
  csv: Buffer.from('name,amount_cents\n"Müller, A.",1200\n'),
  doc: compoundFile(['WordDocument', '1Table']),
  docx: officePackage('docx'),
  xls: compoundFile(['Workbook']),
  xlsx: officePackage('xlsx'),
};

/** An Office Open XML package with `before` as its first part, so that the content types are not at the start. */
export function officePackage(kind: keyof typeof OPEN_XML_TYPES, before?: Buffer): Buffer {
  const types =
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/main.xml" ContentType="${OPEN_XML_TYPES[kind]}"/></Types>`;
  return zip([
    ...(before === undefined ? [] : [{ name: 'media/first.bin', content: before }]),
    { name: '[Content_Types].xml', content: Buffer.from(types) },
    { name: 'main.xml', content: Buffer.from('<document/>') },
  ]);
}

/** A zip archive of deflated entries. */
export function zip(entries: { name: string; content: Buffer }[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const packed = deflateRawSync(content);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(content), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('504b01021400', 'hex'), fields, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

/**
 * A compound file (the container of Word and Excel before 2007) with empty streams of these names, in sectors of 512 or 4,096
 * bytes.
 */
export function compoundFile(streams: string[], sectorBytes: 512 | 4096 = 512): Buffer {
  const header = Buffer.alloc(sectorBytes, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  header.fill(0, 8, 76);
  header.writeUInt16LE(Math.log2(sectorBytes), 30);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(0xfffffffe, 68);
  header.writeUInt32LE(0, 76);
  const fat = Buffer.alloc(sectorBytes, 0xff);
  const names = ['Root Entry', ...streams];
  const sectors = Math.ceil((names.length * 128) / sectorBytes);
  for (let at = 1; at <= sectors; at++) fat.writeUInt32LE(at === sectors ? 0xfffffffe : at + 1, at * 4);
  const directory = Buffer.alloc(sectors * sectorBytes);
  names.forEach((name, index) => {
    directory.write(name, index * 128, 'utf16le');
    directory.writeUInt16LE((name.length + 1) * 2, index * 128 + 64);
    directory[index * 128 + 66] = index === 0 ? 5 : 2;
  });
  return Buffer.concat([header, fat, directory]);
}
