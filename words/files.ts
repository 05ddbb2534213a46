import { counted } from './counts.ts';

/** A size as people read it: "12 bytes", "278 KB", "25.0 MB". */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return counted(bytes, 'byte');
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
