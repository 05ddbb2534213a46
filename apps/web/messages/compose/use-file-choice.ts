import { useState } from 'react';
import { admitFiles } from './admit-files.ts';

/** A chosen file with its React key. */
interface ChosenFile {
  key: string;
  file: File;
}

/** The files of a message that is being written, and the reasons why others were left out. */
export function useFileChoice(first: readonly File[] = []) {
  const [files, setFiles] = useState(() => first.map(withKey));
  const [refused, setRefused] = useState<{ name: string; reason: string }[]>([]);

  const add = (chosen: Iterable<File>) => {
    const { admitted, refused: reasons } = admitFiles(
      files.map(({ file }) => file),
      [...chosen],
    );
    setFiles([...files, ...admitted.map(withKey)]);
    setRefused(reasons);
  };
  const remove = (key: string) => {
    setFiles(files.filter((one) => one.key !== key));
    setRefused([]);
  };
  const replace = (list: File[]) => {
    setFiles(list.map(withKey));
    setRefused([]);
  };
  return { files, refused, add, remove, replace, dismiss: () => setRefused([]) };
}

function withKey(file: File): ChosenFile {
  return { key: crypto.randomUUID(), file };
}
