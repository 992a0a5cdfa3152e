import { SyncScreen } from './sync-screen.tsx';

export const Component = () => <SyncScreen kind="invoice" />;
