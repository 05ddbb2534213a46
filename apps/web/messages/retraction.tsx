'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { Message } from '../api/api-shapes.ts';
import { ConfirmDialog } from '../look/confirm-dialog.tsx';
import { type LoadedChain, withRetracted } from './loaded-chain.ts';
import { keys } from './queries.ts';

const FIRST_WORDS = 80;

export function Retraction({ message, onClose }: { message: Message; onClose: () => void }) {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => apiBrowser(`/api/messages/${message.chain_id}/${message.id}`, { method: 'DELETE' }),
    onSuccess: () => {
      const at = new Date().toISOString();
      client.setQueryData(keys.chain(message.chain_id), (data: LoadedChain) => withRetracted(data, message.id, at));
      void client.invalidateQueries({ queryKey: keys.allChains });
      onClose();
    },
  });
  const words = message.message.length > FIRST_WORDS ? `${message.message.slice(0, FIRST_WORDS)}…` : message.message;
  return (
    <ConfirmDialog
      title="Take this message back?"
      action="Take it back"
      doing="Taking it back…"
      keep="Cancel"
      busy={isPending}
      onConfirm={mutate}
      onClose={onClose}
    >
      <p>
        “{words}”{message.files.length > 0 && ` and ${message.files.length === 1 ? 'its file' : 'its files'}`} will disappear for
        everyone here. They’ll see that you took a message back.
      </p>
      {error !== null && (
        <p className="field-error mt-2" role="alert">
          {errorMessage(error)}
        </p>
      )}
    </ConfirmDialog>
  );
}
