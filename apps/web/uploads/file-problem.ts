import { extensionOf, type FileRules, sizeLimitWords, sizeWords } from '@case-platform/words/files';

/** Says why a file cannot be uploaded here, or null. The API decides; this saves people the wait for an upload. */
export function fileProblem(file: { name: string; size: number }, rules: FileRules): string | null {
  if (!rules.extensions.includes(extensionOf(file.name))) {
    return `“${file.name}” can’t be used here. Choose ${rules.inWords}.`;
  }
  if (file.size === 0) return `“${file.name}” is empty.`;
  if (file.size > rules.maxBytes) {
    return `“${file.name}” is ${sizeWords(file.size)}. Files here can be up to ${sizeLimitWords(rules.maxBytes)}.`;
  }
  return null;
}
