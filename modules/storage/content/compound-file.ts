import type { ByteSource } from '../byte-source.ts';
import { BlockReader } from './block-reader.ts';

const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Values from here on are marks (end of chain, free) instead of sector numbers ([MS-CFB] 2.1). */
const LAST_SECTOR = 0xfffffffa;
/** The header names this many FAT sectors; a chain of further sectors names the rest ([MS-CFB] 2.5). */
const HEADER_FAT_SECTORS = 109;
const DIFAT_SECTORS_MAX = 64;
const DIRECTORY_SECTORS_MAX = 256;
const STREAM_ENTRY = 2;

/**
 * True if a compound file, the format of Word and Excel before 2007, has a stream with one of these names. The streams
 * distinguish a document (`WordDocument`) from a workbook (`Workbook`) and an installer ([MS-CFB] 2.6). Reads at most four MiB.
 */
export async function hasCompoundStream(source: ByteSource, names: readonly string[]): Promise<boolean> {
  const blocks = new BlockReader(source);
  const header = await blocks.read(0, HEADER_BYTES);
  if (header === null || !header.subarray(0, 8).equals(SIGNATURE)) return false;
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return false;
  const file: CompoundFile = { blocks, header, sectorBytes: 1 << shift, difat: [header.readUInt32LE(68)] };
  let sector = header.readUInt32LE(48);
  for (let remaining = DIRECTORY_SECTORS_MAX; sector < LAST_SECTOR && remaining > 0; remaining--) {
    const directory = await blocks.read((sector + 1) * file.sectorBytes, file.sectorBytes);
    if (directory === null) return false;
    if (streamNames(directory).some((name) => names.includes(name))) return true;
    sector = await nextSector(file, sector);
  }
  return false;
}

interface CompoundFile {
  blocks: BlockReader;
  header: Buffer;
  sectorBytes: number;
  /** The sectors of the DIFAT chain that were followed so far. */
  difat: number[];
}

async function nextSector(file: CompoundFile, sector: number): Promise<number> {
  const perSector = file.sectorBytes / 4;
  const fatSector = await findFatSector(file, Math.floor(sector / perSector));
  return readNumber(file, fatSector, sector % perSector);
}

async function findFatSector(file: CompoundFile, index: number): Promise<number> {
  if (index < HEADER_FAT_SECTORS) return file.header.readUInt32LE(76 + index * 4);
  // The last number of each sector is the next sector.
  const perSector = file.sectorBytes / 4 - 1;
  const difatIndex = Math.floor((index - HEADER_FAT_SECTORS) / perSector);
  if (difatIndex >= DIFAT_SECTORS_MAX) return LAST_SECTOR;
  while (file.difat.length <= difatIndex) {
    file.difat.push(await readNumber(file, file.difat.at(-1) ?? LAST_SECTOR, perSector));
  }
  return readNumber(file, file.difat[difatIndex] ?? LAST_SECTOR, (index - HEADER_FAT_SECTORS) % perSector);
}

/** The 32-bit number at `index` of a sector, or the end mark if there is no such sector. */
async function readNumber({ blocks, sectorBytes }: CompoundFile, sector: number, index: number): Promise<number> {
  if (sector >= LAST_SECTOR) return LAST_SECTOR;
  return (await blocks.read((sector + 1) * sectorBytes + index * 4, 4))?.readUInt32LE(0) ?? LAST_SECTOR;
}

function streamNames(directory: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + ENTRY_BYTES <= directory.length; at += ENTRY_BYTES) {
    const nameBytes = directory.readUInt16LE(at + 64);
    if (directory[at + 66] !== STREAM_ENTRY || nameBytes < 2 || nameBytes > 64) continue;
    names.push(directory.toString('utf16le', at, at + nameBytes - 2));
  }
  return names;
}
