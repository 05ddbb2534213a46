import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The checksums that S3 clients may send along, by the name in `x-amz-checksum-<name>`. */
export const CHECKSUM_NAMES = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'] as const;
export type ChecksumName = (typeof CHECKSUM_NAMES)[number];

export interface RunningChecksum {
  update(bytes: Uint8Array): void;
  /** In Base64, most significant byte first, as in the header. */
  digest(): string;
}

/** Starts a checksum over a stream. */
export function startChecksum(name: ChecksumName): RunningChecksum {
  switch (name) {
    case 'crc32':
      return crc32Checksum();
    case 'crc32c':
      return crc32cChecksum();
    case 'crc64nvme':
      return crc64Checksum();
    default: {
      const hash = createHash(name);
      return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('base64') };
    }
  }
}

function crc32Checksum(): RunningChecksum {
  let value = 0;
  return {
    update(bytes) {
      value = crc32(bytes, value);
    },
    digest: () => base64(value),
  };
}

/** Castagnoli's polynomial, reflected (RFC 3720, 12.1). */
const CRC32C_TABLE = new Uint32Array(256).map((_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

function crc32cChecksum(): RunningChecksum {
  let value = 0xffffffff;
  return {
    update(bytes) {
      for (const byte of bytes) value = (value >>> 8) ^ (CRC32C_TABLE[(value ^ byte) & 0xff] as number);
    },
    digest: () => base64(value ^ 0xffffffff),
  };
}

/** CRC-64/NVME, reflected polynomial 0x9a6c9329ac4bc9b5, in two halves because numbers here have 32 bits. */
const CRC64_HIGH = new Uint32Array(256);
const CRC64_LOW = new Uint32Array(256);
for (let index = 0; index < 256; index++) {
  let value = BigInt(index);
  for (let bit = 0; bit < 8; bit++) value = value & 1n ? (value >> 1n) ^ 0x9a6c9329ac4bc9b5n : value >> 1n;
  CRC64_HIGH[index] = Number(value >> 32n);
  CRC64_LOW[index] = Number(value & 0xffffffffn);
}

function crc64Checksum(): RunningChecksum {
  let high = 0xffffffff;
  let low = 0xffffffff;
  return {
    update(bytes) {
      for (const byte of bytes) {
        const index = (low ^ byte) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (CRC64_LOW[index] as number);
        high = (high >>> 8) ^ (CRC64_HIGH[index] as number);
      }
    },
    digest: () => base64(high ^ 0xffffffff, low ^ 0xffffffff),
  };
}

function base64(...words: number[]): string {
  const bytes = Buffer.alloc(words.length * 4);
  words.forEach((word, index) => {
    bytes.writeUInt32BE(word >>> 0, index * 4);
  });
  return bytes.toString('base64');
}
