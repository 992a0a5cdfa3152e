# docs/operate/backup.md: posts more after the backup, and restores into another server. Nothing is posted again.
say 'Backup and restore'
step 'five invoices are synced' sync 5
follow backup.md 'Back up' 1
# The reader copies the public key.
follow backup.md Encrypt 1 's|age1…|$(grep -o "age1.*" /var/lib/tallybridge/backup-key.txt)|'
step 'five invoices are synced after the backup' sync 5
use_database 3
write_environment
follow backup.md Restore 1
step 'five invoices are synced, none again' sync 5
