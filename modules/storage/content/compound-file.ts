import { type ByteSource, readBytes } from '../byte-source.ts';

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Values from here up are marks (end of chain, free), not sector numbers ([MS-CFB] 2.1). */
const LAST_SECTOR = 0xfffffffa;
/** The header names this many FAT sectors; a chain of further sectors names the rest ([MS-CFB] 2.5). */
const HEADER_FAT_SECTORS = 109;
const DIFAT_SECTORS_AT_MOST = 64;
const DIRECTORY_SECTORS_AT_MOST = 256;
const STREAM_ENTRY = 2;

/**
 * The names of the streams in a compound file, which is what Word and Excel wrote until 2007; empty where the bytes are
 * none. They tell a document (`WordDocument`) from a workbook (`Workbook`) and from an installer ([MS-CFB] 2.6).
 */
export async function listCompoundStreams(source: ByteSource): Promise<string[]> {
  const header = await readBytes(source, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || !header.subarray(0, 8).equals(SIGNATURE)) return [];
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return [];
  const file: CompoundFile = { source, header, sectorBytes: 1 << shift };
  const names: string[] = [];
  let sector = header.readUInt32LE(48);
  for (let read = 0; sector < LAST_SECTOR && read < DIRECTORY_SECTORS_AT_MOST; read++) {
    names.push(...streamNames(await readSector(file, sector)));
    sector = await nextSector(file, sector);
  }
  return names;
}

interface CompoundFile {
  source: ByteSource;
  header: Buffer;
  sectorBytes: number;
}

function readSector(file: CompoundFile, sector: number): Promise<Buffer> {
  return readBytes(file.source, (sector + 1) * file.sectorBytes, file.sectorBytes);
}

async function nextSector(file: CompoundFile, sector: number): Promise<number> {
  const perFatSector = file.sectorBytes / 4;
  const fatSector = await findFatSector(file, Math.floor(sector / perFatSector));
  if (fatSector >= LAST_SECTOR) return LAST_SECTOR;
  return readNumber(await readSector(file, fatSector), sector % perFatSector);
}

async function findFatSector(file: CompoundFile, index: number): Promise<number> {
  if (index < HEADER_FAT_SECTORS) return readNumber(file.header, 19 + index);
  // Each further sector ends with the number of the next one.
  const perSector = file.sectorBytes / 4 - 1;
  let skip = index - HEADER_FAT_SECTORS;
  let sector = file.header.readUInt32LE(68);
  for (let read = 0; sector < LAST_SECTOR && read < DIFAT_SECTORS_AT_MOST; read++) {
    const difat = await readSector(file, sector);
    if (skip < perSector) return readNumber(difat, skip);
    skip -= perSector;
    sector = readNumber(difat, perSector);
  }
  return LAST_SECTOR;
}

/** The 32-bit number at `index` of a table, or the end mark where the file is too short to hold it. */
function readNumber(table: Buffer, index: number): number {
  return (index + 1) * 4 <= table.length ? table.readUInt32LE(index * 4) : LAST_SECTOR;
}

function streamNames(sector: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + ENTRY_BYTES <= sector.length; at += ENTRY_BYTES) {
    const nameBytes = sector.readUInt16LE(at + 64);
    if (sector[at + 66] !== STREAM_ENTRY || nameBytes < 2 || nameBytes > 64) continue;
    names.push(sector.toString('utf16le', at, at + nameBytes - 2));
  }
  return names;
}
