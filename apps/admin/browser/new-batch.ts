// The totals of a new batch, while its payments are chosen. The server computed them for the page as it came.
import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import { getElement } from './parts/elements.ts';

const form = document.querySelector<HTMLFormElement>('form[data-new-batch]');

if (form !== null) {
  const boxes = [...form.querySelectorAll<HTMLInputElement>('input[data-cents]')];
  const [count, total] = [getElement('[data-total-count]', form), getElement('[data-total-all]', form)];
  const groups = [...form.querySelectorAll<HTMLElement>('[data-total-of]')];

  const showTotals = () => {
    const chosen = boxes.filter(({ checked }) => checked);
    const sumOf = (some: HTMLInputElement[]) => some.reduce((sum, { dataset }) => sum + Number(dataset.cents), 0);
    count.textContent = counted(chosen.length, 'payment');
    total.textContent = moneyWords(sumOf(chosen));
    for (const group of groups) {
      const key = group.dataset.totalOf ?? '';
      const own = chosen.filter(({ dataset }) => dataset.groups?.split(' ').includes(key));
      group.hidden = own.length === 0;
      getElement('.money', group).textContent = moneyWords(sumOf(own));
    }
  };
  // A browser that goes back restores the boxes, but not the totals.
  addEventListener('pageshow', showTotals);
  form.addEventListener('change', showTotals);
}
