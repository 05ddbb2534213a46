import { type ByteSource, readBytes } from '../byte-source.ts';

const BLOCK_BYTES = 64 * 1024;
const BLOCKS_KEPT = 4;
/** Four MiB: far more than the tables of a real document need. */
const BLOCKS_MAX = 64;

/**
 * Reads small pieces at any position of a file, in blocks, because each read of a stored file is a call to the storage. After 64
 * blocks it gives up, so a file whose tables point all over it costs a limited amount.
 */
export class BlockReader {
  readonly #source: ByteSource;
  readonly #blocks = new Map<number, Buffer>();
  #loads = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Returns `length` bytes from `at`, up to a block. Null outside of the file, and after the limit of blocks. */
  async read(at: number, length: number): Promise<Buffer | null> {
    if (at < 0 || at + length > this.#source.size) return null;
    const first = Math.floor(at / BLOCK_BYTES);
    const offset = at - first * BLOCK_BYTES;
    const block = await this.#block(first);
    if (block === null || offset + length <= block.length) return block?.subarray(offset, offset + length) ?? null;
    const next = await this.#block(first + 1);
    return next === null ? null : Buffer.concat([block.subarray(offset), next]).subarray(0, length);
  }

  async #block(index: number): Promise<Buffer | null> {
    const cached = this.#blocks.get(index);
    if (cached !== undefined) return cached;
    if (++this.#loads > BLOCKS_MAX) return null;
    const block = await readBytes(this.#source, index * BLOCK_BYTES, BLOCK_BYTES);
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size >= BLOCKS_KEPT && oldest !== undefined) this.#blocks.delete(oldest);
    this.#blocks.set(index, block);
    return block;
  }
}
