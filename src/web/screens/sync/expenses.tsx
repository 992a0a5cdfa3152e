import { SyncScreen } from './sync-screen.tsx';

export const Component = () => <SyncScreen kind="expense_report" />;
