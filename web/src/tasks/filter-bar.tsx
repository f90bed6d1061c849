import type { TaskSummary } from '../../../src/dashboard/task-summary.ts';
import { statuses } from '../../../src/task/status.ts';
import { t } from '../shell/settings.ts';
import type { TaskFilters } from './use-tasks.ts';

export interface FilterBarProps {
  readonly filters: TaskFilters;
  readonly tasks: readonly TaskSummary[];
  onChange(filters: TaskFilters): void;
}

/** The filters of the task list. */
export function FilterBar({ filters, tasks, onChange }: FilterBarProps) {
  const set = (part: Partial<TaskFilters>) => onChange({ ...filters, ...part });
  const tools = [...new Set([...tasks.map(({ tool }) => tool), filters.tool])].filter(Boolean).sort();
  return (
    <div class="filters">
      <input
        type="search"
        aria-label={t('filterText')}
        placeholder={t('filterText')}
        value={filters.text}
        onInput={({ currentTarget }) => set({ text: currentTarget.value })}
      />
      <select
        aria-label={t('status')}
        value={filters.status}
        onChange={({ currentTarget }) => set({ status: currentTarget.value })}
      >
        <option value="">{t('allStatuses')}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>
            {t(status)}
          </option>
        ))}
      </select>
      <select
        aria-label={t('tool')}
        value={filters.tool}
        onChange={({ currentTarget }) => set({ tool: currentTarget.value })}
      >
        <option value="">{t('allTools')}</option>
        {tools.map((tool) => (
          <option key={tool} value={tool}>
            {tool}
          </option>
        ))}
      </select>
      <input
        class="filter-principal"
        aria-label={t('filterPrincipal')}
        placeholder={t('filterPrincipal')}
        value={filters.principal}
        onInput={({ currentTarget }) => set({ principal: currentTarget.value })}
      />
    </div>
  );
}
