export interface PictureInput {
  /** In bytes. */
  readonly size: number;
  /** Fills `target` from `position` on, up to the end of the picture. Returns the number of bytes. */
  read(target: Buffer, position: number): number;
}

export interface PictureOutput {
  write(bytes: Buffer, position: number): void;
}

/** A picture that breaks the rules of its format, so that its metadata cannot be found and removed (PICTURE-3). */
export class DamagedPictureError extends Error {
  constructor(why: string) {
    super(`The picture is damaged: ${why}.`);
    this.name = 'DamagedPictureError';
  }
}

/** The part of a picture that is in memory, once for reading and once for writing. */
const WINDOW_BYTES = 64 * 1024;

/** Reads a picture through one window of fixed size, so that no number in the file decides how much memory is allocated. */
export class PictureReader {
  readonly size: number;
  readonly #input: PictureInput;
  readonly #memory = Buffer.allocUnsafe(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(input: PictureInput) {
    this.#input = input;
    this.size = input.size;
  }

  /** The bytes from `at` to the end of the window: at least one. They are valid until the next call. */
  windowAt(at: number): Buffer {
    if (at < this.#start || at >= this.#end) this.#load(at);
    return this.#memory.subarray(at - this.#start, this.#end - this.#start);
  }

  byte(at: number): number {
    if (at < this.#start || at >= this.#end) this.#load(at);
    return this.#memory[at - this.#start] as number;
  }

  uint16(at: number, isLittleEndian = false): number {
    const start = this.#need(at, 2);
    return isLittleEndian ? this.#memory.readUInt16LE(start) : this.#memory.readUInt16BE(start);
  }

  uint32(at: number, isLittleEndian = false): number {
    const start = this.#need(at, 4);
    return isLittleEndian ? this.#memory.readUInt32LE(start) : this.#memory.readUInt32BE(start);
  }

  uint64(at: number): number {
    return this.uint32(at) * 2 ** 32 + this.uint32(at + 4);
  }

  /** `length` bytes as Latin-1, for names of a few bytes. */
  text(at: number, length: number): string {
    const start = this.#need(at, length);
    return this.#memory.toString('latin1', start, start + length);
  }

  hasText(at: number, end: number, text: string): boolean {
    return at + text.length <= end && this.text(at, text.length) === text;
  }

  /** Loads `length` bytes into the window and returns their index in it. */
  #need(at: number, length: number): number {
    if (at + length > this.size) throw new DamagedPictureError('it ends too early');
    if (at < this.#start || at + length > this.#end) this.#load(at);
    return at - this.#start;
  }

  #load(at: number): void {
    if (!(at >= 0 && at < this.size)) throw new DamagedPictureError('it ends too early');
    const length = this.#input.read(this.#memory, at);
    this.#start = at;
    this.#end = at + length;
    if (length < Math.min(WINDOW_BYTES, this.size - at)) throw new DamagedPictureError('it ends too early');
  }
}

/** Collects the output and writes it a window at a time. */
export class PictureWriter {
  readonly #output: PictureOutput;
  readonly #memory = Buffer.allocUnsafe(WINDOW_BYTES);
  #filled = 0;
  #written = 0;

  constructor(output: PictureOutput) {
    this.#output = output;
  }

  /** The number of bytes written so far. */
  get size(): number {
    return this.#written + this.#filled;
  }

  write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const length = bytes.copy(this.#memory, this.#filled, at);
      this.#filled += length;
      at += length;
      if (this.#filled === WINDOW_BYTES) this.flush();
    }
  }

  /** Copies the bytes of `reader` from `start` to `end`, exclusive. */
  copy(reader: PictureReader, start: number, end: number): void {
    for (let at = start; at < end; ) {
      const window = reader.windowAt(at);
      const length = Math.min(window.length, end - at);
      this.write(length === window.length ? window : window.subarray(0, length));
      at += length;
    }
  }

  zeros(length: number): void {
    for (let remaining = length; remaining > 0; ) {
      const step = Math.min(remaining, WINDOW_BYTES - this.#filled);
      this.#memory.fill(0, this.#filled, this.#filled + step);
      this.#filled += step;
      remaining -= step;
      if (this.#filled === WINDOW_BYTES) this.flush();
    }
  }

  /** Overwrites bytes that were already written. */
  patch(position: number, bytes: Buffer): void {
    if (position >= this.#written) return void bytes.copy(this.#memory, position - this.#written);
    this.flush();
    this.#output.write(bytes, position);
  }

  flush(): void {
    if (this.#filled === 0) return;
    this.#output.write(this.#memory.subarray(0, this.#filled), this.#written);
    this.#written += this.#filled;
    this.#filled = 0;
  }
}
