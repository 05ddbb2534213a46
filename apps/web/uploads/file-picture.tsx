'use client';

import { isShownPicture } from '@case-platform/words/files';
import { useEffect, useState } from 'react';

/** A chosen picture, as a thumbnail or in the width of its place; renders nothing for other files. */
export function FilePicture({ file, large = false }: { file: File; large?: boolean }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!isShownPicture(file.type)) return;
    const objectUrl = URL.createObjectURL(file);
    setUrl(objectUrl);
    return () => URL.revokeObjectURL(objectUrl);
  }, [file]);
  if (!isShownPicture(file.type)) return null;
  return (
    <span className={`block flex-none overflow-hidden rounded-sm bg-base-300 ${large ? 'w-full' : 'size-10'}`}>
      {/* biome-ignore lint/performance/noImgElement: a picture of this device, which no server has. */}
      {url !== null && <img src={url} alt="" className={large ? 'max-h-96 w-full object-contain' : 'size-full object-cover'} />}
    </span>
  );
}
